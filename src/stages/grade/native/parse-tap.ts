import type { Observed } from './native-report.ts';

const MAX_RESULTS = 20_000;
const MAX_NAME = 1_000;
const RESULT = /^(not )?ok(?: +(\d{1,9}))?(?: +(.*))?$/;
const DIRECTIVE = /(?<!\\)#\s*(skip|todo)\b.*$/i;

/** What a TAP stream says. */
export interface TapReport {
  readonly observed: readonly Observed[];
  /** What is wrong with the stream as a whole; null when it kept to one plan. */
  readonly fault: string | null;
}

/** Reads TAP 13 or 14 at its outermost level. Other lines are nobody's; two plans, or numbers out of plan, spoil it all. */
export function parseTap(text: string): TapReport {
  const observed: Observed[] = [];
  const numbers: number[] = [];
  const plans: number[] = [];
  let bailed = false;
  for (const line of text.split(/\r?\n/)) {
    const plan = /^1\.\.(\d{1,9})\s*(#.*)?$/.exec(line);
    if (plan !== null) plans.push(Number(plan[1]));
    bailed ||= line.startsWith('Bail out!');
    const result = RESULT.exec(line);
    if (result === null) continue;
    if (observed.length === MAX_RESULTS) return { observed, fault: 'more results than are read' };
    observed.push(observedOf(result));
    numbers.push(result[2] === undefined ? observed.length : Number(result[2]));
  }
  return { observed, fault: faultOf({ plans, numbers, bailed }) };
}

function observedOf([, not, , rest = '']: RegExpExecArray): Observed {
  const directive = DIRECTIVE.exec(rest);
  const name = rest.slice(0, directive?.index).replace(/^-\s*/, '').replaceAll('\\#', '#').trim();
  const status = not !== undefined ? 'failed' : directive === null ? 'passed' : 'skipped';
  return { id: name.slice(0, MAX_NAME), status, note: directive?.[0].slice(0, 200) ?? '', wallMs: 0 };
}

function faultOf(told: { plans: readonly number[]; numbers: readonly number[]; bailed: boolean }): string | null {
  if (told.bailed) return 'it bailed out';
  if (told.plans.length !== 1) return told.plans.length === 0 ? 'there is no plan' : 'there is more than one plan';
  const planned = told.plans[0];
  if (told.numbers.length !== planned) return `${told.numbers.length} results instead of ${planned}`;
  return told.numbers.every((number, index) => number === index + 1) ? null : 'its numbers are not in order';
}
