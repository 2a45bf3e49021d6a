import { type GradeBody, gradeDigest } from '../grade/grade.ts';
import type { VerdictBody } from './verdict.ts';

/** A grade with the verdict on it. */
export interface Ruling {
  readonly grade: GradeBody;
  readonly verdict: VerdictBody;
}

/** A value by its dotted path, as it was the first time and as it is again; null where there is none. */
export interface Difference {
  readonly field: string;
  readonly first: string | number | boolean | null;
  readonly again: string | number | boolean | null;
}

type Facts = ReadonlyMap<string, Difference['first']>;

/**
 * Everything in which two rulings on the same hand-in differ, apart from times, ids, notes and resource use. What they were
 * graded against comes first (`inputs.…`): a grader or a snapshot that changed is a difference, whatever came of it. Pure.
 */
export function compareVerdicts(first: Ruling, again: Ruling): readonly Difference[] {
  const [before, after] = [factsOf(first), factsOf(again)];
  const differences = [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, first: before.get(field) ?? null, again: after.get(field) ?? null }))
    .filter((difference) => difference.first !== difference.again);
  if (differences.length > 0) return differences;
  const digests = { first: gradeDigest(first.grade), again: gradeDigest(again.grade) };
  return digests.first === digests.again ? [] : [{ field: 'grade', ...digests }];
}

function factsOf({ grade, verdict }: Ruling): Facts {
  const { basis: _digestsOfTheRest, ...ruled } = verdict;
  const facts = new Map<string, Difference['first']>();
  collect(facts, '', gradeFacts(grade));
  collect(facts, 'verdict', ruled);
  return facts;
}

function gradeFacts(body: GradeBody): object {
  if (body.kind === 'ungraded') return { kind: body.kind, fault: body.fault, code: body.code };
  const { kind, assurance, refusal, score, passed } = body;
  // a pinned snapshot is asked for by its digest the second time, so its name may differ
  const snapshot = body.inputs.snapshot && { digest: body.inputs.snapshot.digest, pinned: body.inputs.snapshot.pinned };
  const cases = body.cases.map(({ id, status }) => ({ id, status }));
  return { inputs: { ...body.inputs, snapshot }, kind, assurance, refusal, score, passed, cases };
}

function collect(facts: Map<string, Difference['first']>, path: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    facts.set(path, value as Difference['first']);
    return;
  }
  for (const [name, item] of Object.entries(value)) collect(facts, path === '' ? name : `${path}.${name}`, item);
}
