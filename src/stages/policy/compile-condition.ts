import type { ParseResult } from '@marcbachmann/cel-js';
import { messageOf, ProctorError } from '../../platform/base/errors.ts';
import { CONDITIONS, type FieldShape, type SeenContext, VARIABLES } from './condition-types.ts';
import { CALLABLE, type ReadCondition, readCondition } from './read-condition.ts';
import { suggestion } from './suggest-name.ts';

/** Characters of one expression. */
const LONGEST_EXPRESSION = 2_000;

/** An expression that was read, checked against the context and may be evaluated. */
export interface Condition<T> extends Omit<ReadCondition, 'faults'> {
  readonly text: string;
  /** Throws where the expression has no value: a missing item, a division by zero, a number that grows too large. */
  readonly of: (seen: SeenContext) => T;
}

/** A condition from its text. `policy-invalid` says what is wrong with it, with a suggestion for names that are not there. */
export function compileCondition(text: string): Condition<boolean> {
  const { run, read } = compiled(text, 'bool');
  return { ...read, text, of: (seen) => flagOf(run(seen)) };
}

/** The weight that a rule gives, as an expression: a number from 0 to 1. `policy-invalid`. */
export function compileWeight(text: string): Condition<number> {
  const { run, read } = compiled(text, 'double');
  return { ...read, text, of: (seen) => weightOf(run(seen)) };
}

/** What an evaluation that threw says of itself, in one line. */
export function evaluationFault(thrown: unknown): string {
  const summary = (thrown as { readonly summary?: unknown } | null)?.summary;
  return (typeof summary === 'string' ? summary : messageOf(thrown)).slice(0, 300);
}

function compiled(
  text: string,
  wanted: 'bool' | 'double',
): { readonly run: ParseResult; readonly read: ReadCondition } {
  if (text.length > LONGEST_EXPRESSION) fail(`is longer than ${LONGEST_EXPRESSION} characters`);
  const run = parsed(text);
  const { valid, type, error } = run.check();
  if (!valid) fail(`${toldOf(error)}${hintOf(error)}`);
  const read = readCondition(run.ast);
  if (read.faults.length > 0) fail(read.faults.join('; '));
  if (type !== wanted) fail(`gives ${type}, and ${wanted} is needed`);
  if (read.paths.length === 0) fail('names no field, so it is always the same');
  return { run, read };
}

function parsed(text: string): ParseResult {
  try {
    return CONDITIONS.parse(text);
  } catch (thrown) {
    return fail(toldOf(thrown));
  }
}

function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new TypeError('the condition gave neither true nor false');
}

function weightOf(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new RangeError(`the weight ${String(value)} is not between 0 and 1`);
}

function fail(message: string): never {
  throw new ProctorError('policy-invalid', message);
}

/** What the library says is wrong, in its own words, and where. */
function toldOf(thrown: unknown): string {
  const { summary, range } = thrown as { readonly summary?: string; readonly range?: { readonly start: number } };
  const where = range === undefined ? '' : ` (at character ${range.start + 1})`;
  return `${(summary ?? messageOf(thrown)).trim()}${where}`;
}

/** A name that is probably meant, for what the library does not know. */
function hintOf(thrown: unknown): string {
  const message = (thrown as { readonly summary?: string }).summary ?? '';
  const field = /^No such key: (\S+)/.exec(message)?.[1];
  if (field !== undefined) return suggestion(field, fieldNames(Object.values(VARIABLES)));
  const variable = /^Unknown variable: (\S+)/.exec(message)?.[1];
  if (variable !== undefined) return suggestion(variable, Object.keys(VARIABLES));
  const called = /overload for '(?:[^'(]*\.)?([A-Za-z_]+)\(/.exec(message)?.[1];
  if (called === 'matches') return ': a pattern can take for ever; write contains, startsWith or endsWith';
  return called === undefined ? '' : suggestion(called, CALLABLE);
}

function fieldNames(shapes: readonly FieldShape[]): readonly string[] {
  return shapes.flatMap(({ fields, item }) => [
    ...Object.keys(fields),
    ...fieldNames(Object.values(fields)),
    ...(item === null ? [] : fieldNames([item])),
  ]);
}
