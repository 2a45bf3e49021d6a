import { expect, test } from 'vitest';
import { screened } from '../../../../test/support/screened.ts';
import { hiddenText } from './hidden-text.ts';

const detect = (...texts: string[]) =>
  hiddenText.detect(screened(Object.fromEntries(texts.map((text, index) => [`f${index}.py`, text]))));

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

const places = (path: string, text: string) =>
  hiddenText
    .detect(screened({ [path]: text }))
    .flatMap(({ severity, evidence }) => evidence.map(({ detail }) => `${severity} ${detail}`));

test('a message in characters that nobody sees, in a comment, is suspect', () => {
  expect(places('a.py', `x = 1  # fine${'\u200b\u200c'.repeat(8)}\n`)).toEqual([
    'suspect line 1: 16 invisible character(s) in a comment',
  ]);
  expect(places('a.js', '// fine\u{e0069}\u{e0067}\n')).toEqual([
    'suspect line 1: 2 invisible character(s) in a comment',
  ]);
});

test('names that only look alike are suspect', () => {
  expect(places('a.py', 'def check\u200bed():\n    pass\n')).toEqual([
    'suspect line 1: a name with invisible characters',
  ]);
  expect(places('a.js', 'let admin\u200d = 1;\n')).toEqual(['suspect a name with invisible characters']);
});

test('one that was pasted with a comment is a note', () => {
  expect(places('a.py', '# see the\u200b manual\n')).toEqual(['note line 1: 1 invisible character(s) in a comment']);
});

test.each([
  ['emoji that are joined', 'a.py', '# 👩\u200d👩\u200d👧 and 🏳\ufe0f\u200d🌈\n'],
  ['flags that are spelled in tags', 'a.js', '// \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\n'],
  ['Persian', 'a.py', '# می\u200cخواهم\n'],
  ['a byte order mark', 'a.py', '\ufeffx = 1\n'],
  ['a byte order mark of a script', 'a.js', '\ufeffconst x = 1;\n'],
  ['a pattern', 'a.js', 'x.replace(/^\ufeff/, y).split(/[\u200b]/)\n'],
  ['strings', 'a.py', 'ZERO = "\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b"\n'],
  ['texts that are no code', 'a.md', 'a\u200bb\u200bc\n'],
])('%s are ordinary', (_name, path, text) => {
  expect(places(path, text)).toEqual([]);
});
