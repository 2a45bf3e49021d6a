import type { Observed } from './native-report.ts';

const MAX_RESULTS = 20_000;
/** Not bound to the line's beginning: what a test prints without a line end stands before it. */
const RESULT = /--- (PASS|FAIL|SKIP): (\S{1,1000}) \((\d{1,9}\.\d\d)s\)$/gm;
const STATUS = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' } as const;

/** The results in what a Go test binary writes with `-test.v`; parts of tests are named `Test/part`. */
export function parseGo(text: string): readonly Observed[] {
  const observed: Observed[] = [];
  for (const [, word, id = '', seconds] of text.matchAll(RESULT)) {
    if (observed.length === MAX_RESULTS) break;
    observed.push({ id, status: STATUS[word as keyof typeof STATUS], note: '', wallMs: Number(seconds) * 1000 });
  }
  return observed;
}
