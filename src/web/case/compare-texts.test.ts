import { expect, test } from 'vitest';
import { compareTexts, pairRows } from './compare-texts.ts';

const quick = { timeoutMs: 500 };
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

test('what differs is shown with three lines around it, and how many are left out', () => {
  const left = numbered(20);
  const right = left.with(9, 'other');
  const rows = compareTexts(`${left.join('\n')}\n`, `${right.join('\n')}\n`, quick);
  expect(rows.map((row) => (row.kind === 'gap' ? `gap ${row.lines}` : `${row.kind} ${row.left}/${row.right}`))).toEqual(
    [
      'gap 6',
      ...[
        'same 7/7',
        'same 8/8',
        'same 9/9',
        'removed 10/null',
        'added null/10',
        'same 11/11',
        'same 12/12',
        'same 13/13',
      ],
      'gap 7',
    ],
  );
});

test('a new file is added from its first line on, the same file is nothing', () => {
  expect(compareTexts('', 'a\nb\n', quick)).toEqual([
    { kind: 'added', left: null, right: 1, text: 'a' },
    { kind: 'added', left: null, right: 2, text: 'b' },
  ]);
  expect(compareTexts('a\n', 'a\n', quick)).toEqual([]);
});

test('texts that have nothing in common take no longer for it', () => {
  const [left, right] = [
    numbered(30_000).join('\n'),
    numbered(30_000)
      .map((line) => `${line}!`)
      .join('\n'),
  ];
  const begunMs = performance.now();
  expect(compareTexts(left, right, { timeoutMs: 100 })).toHaveLength(60_000);
  expect(performance.now() - begunMs).toBeLessThan(3_000);
});

test('two columns hold what was replaced beside what replaced it', () => {
  const rows = compareTexts('a\nb\nc\n', 'a\nx\ny\nc\n', { ...quick, whole: true });
  expect(pairRows(rows).map(([left, right]) => [left?.text ?? null, right?.text ?? null])).toEqual([
    ['a', 'a'],
    ['b', 'x'],
    [null, 'y'],
    ['c', 'c'],
  ]);
});
