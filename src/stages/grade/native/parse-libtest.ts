import type { Observed } from './native-report.ts';

const MAX_RESULTS = 20_000;
const RESULT = /^test (\S{1,1000})(?: - should panic)? \.\.\. (.*)$/;
const SUMMARY =
  /^test result: (?:ok|FAILED)\. (\d{1,6}) passed; (\d{1,6}) failed; (\d{1,6}) ignored; \d{1,6} measured; \d{1,6} filtered out/;

/** What one Rust test binary told. */
export interface LibtestReport {
  readonly observed: readonly Observed[];
  /** Null when there is one summary and it counts what was told. */
  readonly fault: string | null;
}

/** Reads what libtest prints with one test thread: `test NAME ... ok`, and the summary at its regular end. */
export function parseLibtest(text: string): LibtestReport {
  const observed: Observed[] = [];
  const lines = text.split('\n');
  const summaries = lines.flatMap((line) => SUMMARY.exec(line)?.slice(1).join('/') ?? []);
  let waiting: string | null = null;
  for (const line of lines) {
    const result = RESULT.exec(line);
    if (result !== null) waiting = result[1] ?? null;
    const word = wordOf(result === null ? line : (result[2] ?? ''));
    if (waiting === null || word === null) continue;
    if (observed.length === MAX_RESULTS) return { observed, fault: 'more results than are read' };
    observed.push({ id: waiting, status: word, note: '', wallMs: 0 });
    waiting = null;
  }
  const count = (status: string) => observed.filter((seen) => seen.status === status).length;
  const counted = `${count('passed')}/${count('failed')}/${count('skipped')}`;
  if (summaries.length !== 1) return { observed, fault: `${summaries.length} summaries instead of one` };
  return { observed, fault: summaries[0] === counted ? null : 'its summary counts something else' };
}

/** The status that a line ends with: a program may have printed before it, without a line end. */
function wordOf(text: string): Observed['status'] | null {
  if (/(?:^|[^A-Za-z])ok$/.test(text)) return 'passed';
  if (/(?:^|[^A-Za-z])FAILED$/.test(text)) return 'failed';
  return /^ignored\b/.test(text) ? 'skipped' : null;
}
