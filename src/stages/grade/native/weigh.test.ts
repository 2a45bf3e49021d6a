import { expect, test } from 'vitest';
import type { Layout, Meaning } from './layout.ts';
import type { NativeReport } from './native-report.ts';
import { weigh } from './weigh.ts';

const TWIN_A = { of: 'a' };
const TWIN_P = { of: 'p' };
const NAMES: Readonly<Record<string, Meaning>> = {
  A: { kind: 'test', id: 'a' },
  B: { kind: 'test', id: 'b' },
  'P[1]': { kind: 'test', id: 'p[1]' },
  'P[2]': { kind: 'test', id: 'p[2]' },
  ta: { kind: 'twin', twin: TWIN_A },
  tp: { kind: 'twin', twin: TWIN_P },
  more: { kind: 'ignored' },
  file: { kind: 'file' },
};
const LAYOUT: Layout = {
  folder: 'x',
  files: [],
  testFiles: [],
  twins: [TWIN_A, TWIN_P],
  meaningOf: (id) => NAMES[id] ?? { kind: 'unknown' },
};
const REQUIRED = ['a', 'b', 'p[1]', 'p[2]'];
const RIGHT = 'A+ B+ P[1]+ P[2]+ ta- tp-';

/** `A+ ta-`: what was told, + passed, - failed, ~ skipped. */
function report(told: string, change: Partial<NativeReport> = {}): NativeReport {
  const status = { '+': 'passed', '-': 'failed', '~': 'skipped' } as const;
  const observed = told.split(' ').map((one) => ({
    ...{ id: one.slice(0, -1), status: status[one.slice(-1) as '+'] },
    ...{ note: '', wallMs: 1 },
  }));
  const ending = { kind: 'exited', code: 1 } as const;
  return { observed, complete: true, why: '', ending, broken: false, exitRule: 'both', ...change };
}

function weighed(told: string, change: Partial<NativeReport> = {}) {
  const { results, witness } = weigh({ required: REQUIRED, layout: LAYOUT, report: report(told, change) });
  return { passed: results.filter(({ status }) => status === 'passed').map(({ id }) => id), witness, results };
}

test('every required test once, every twin failed, and the end witnessed: all count', () => {
  const { passed, witness } = weighed(RIGHT);
  expect(passed).toEqual(REQUIRED);
  expect(witness).toEqual({ twins: 2, testsWithTwins: 3, of: 4, green: [], signs: [] });
});

test('a twin that passes with its original is proof, and then nothing counts', () => {
  expect(weighed('A+ B+ P[1]+ P[2]+ ta+ tp-')).toMatchObject({ passed: [], witness: { green: ['a'] } });
  expect(weighed('A+ B- P[1]+ P[2]+ ta- tp+')).toMatchObject({ passed: [], witness: { green: ['p'] } });
});

test('of a twin with rows only the wrong row is looked at', () => {
  const rows = { of: 'p', row: 1 };
  const meaningOf = (id: string) =>
    id.startsWith('t') ? ({ kind: 'twin', twin: rows } as const) : LAYOUT.meaningOf(id);
  const layout = { ...LAYOUT, twins: [rows], meaningOf };
  const witness = (told: string) => weigh({ required: ['p[1]', 'p[2]'], layout, report: report(told) }).witness;
  expect(witness('P[1]+ P[2]+ t1+ t2-')).toMatchObject({ green: [], signs: [] });
  expect(witness('P[1]+ P[2]+ t1- t2+')).toMatchObject({ green: ['p'] });
  expect(witness('P[1]+ P[2]- t1+')).toMatchObject({ signs: ['twin-without-result'] });
});

test('a wrong answer that is the twin’s is a wrong answer', () => {
  expect(weighed('A- B+ P[1]+ P[2]- ta+ tp+')).toMatchObject({
    passed: ['b', 'p[1]'],
    witness: { green: [], signs: [] },
  });
});

test('skipped, absent and ignored tests do not count', () => {
  expect(weighed('A~ B+ P[1]+ more+ ta- tp-').passed).toEqual(['b', 'p[1]']);
});

test.each<[string, { told: string; signs: string[] } & Partial<NativeReport>]>([
  ['a result told twice', { told: `${RIGHT} B+`, signs: ['duplicate-result'] }],
  ['a result that no test has', { told: `${RIGHT} other+`, signs: ['unknown-result'] }],
  ['a twin without a result', { told: 'A+ B+ P[1]+ P[2]+ tp-', signs: ['twin-without-result'] }],
  ['a failed twin in a success', { told: RIGHT, ending: { kind: 'exited', code: 0 }, signs: ['exit-disagrees'] }],
  ['a failure in which nothing failed', { told: 'B+', signs: ['exit-disagrees'] }],
  ['rubbish on the private channel', { told: RIGHT, broken: true, complete: false, signs: ['broken-report'] }],
])('%s is a sign, and then nothing counts', (_name, { told, signs, ...change }) => {
  expect(weighed(told, change)).toMatchObject({ passed: [], witness: { signs } });
});

test('a run without its end counts for nothing, and is no sign by itself', () => {
  const { passed, witness, results } = weighed('A+ ta-', {
    complete: false,
    why: 'it ended',
    ending: { kind: 'exited', code: 0 },
  });
  expect([passed, witness.signs]).toEqual([[], []]);
  expect(results.map(({ status }) => status)).toEqual(['failed', 'crashed', 'crashed', 'crashed']);
});

test('a run out of time is told as that', () => {
  const ending = { kind: 'timed-out', clock: 'wall' } as const;
  expect(weighed('A+', { complete: false, why: 'late', ending }).results.at(-1)).toMatchObject({ status: 'timed-out' });
});

test('of a file that could not be read the tests say why', () => {
  expect(weighed('file-').results.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed']);
});

test('without a twin a run is a script’s word', () => {
  const none = { ...LAYOUT, twins: [] };
  expect(
    weigh({ required: ['a'], layout: none, report: report('A+', { ending: { kind: 'exited', code: 0 } }) }),
  ).toMatchObject({
    assurance: 'plain',
    results: [{ status: 'passed' }],
  });
});
