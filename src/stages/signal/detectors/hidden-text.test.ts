import { expect, test } from 'vitest';
import { hiddenText } from './hidden-text.ts';

const detect = (...texts: string[]) =>
  hiddenText.detect({
    manifest: { format: 'proctor/artifact/1', files: [], leftBehind: [], counts: {}, refusal: null },
    files: texts.map((text, index) => ({ path: `f${index}.py`, bytes: Buffer.from(text) })),
  });

test.each(['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'])(
  'the control %j makes a file suspect, with its line',
  (mark) => {
    expect(detect(`one\ntwo\nif access == "user${mark}": # admin\n${mark}`)).toEqual([
      {
        severity: 'suspect',
        summary: 'files show readers something else than what they hold',
        evidence: [{ path: 'f0.py', detail: 'line 3 holds bidirectional control characters' }],
      },
    ]);
  },
);

test('only the files that hold such controls are evidence', () => {
  const [signal, ...more] = detect('x = 1', '\u202e', 'y = 2', 'a\n\u2066');
  expect(more).toEqual([]);
  expect(signal?.evidence.map(({ path, detail }) => `${path} ${detail.slice(0, 6)}`)).toEqual([
    ...['f1.py line 1', 'f3.py line 2'],
  ]);
});

test.each([
  ['right-to-left letters', 'print("שלום עולם, مرحبا")'],
  ['an escape that only names a control', 'BIDI = "\\u202e"'],
  ['joined emoji and accents', '👩‍👩‍👧 e\u0301'],
  ['an empty file', ''],
])('%s are ordinary', (_name, text) => {
  expect(detect(text)).toEqual([]);
});
