import type { Finding } from './detector.ts';
import type { PythonFile } from './python-names.ts';
import { allLiterals, type PythonTest, testsOf } from './python-tests.ts';

/** What a changed test file is compared with. */
export interface Comparison {
  readonly before: PythonFile;
  readonly after: PythonFile;
  /** All test files of the hand-in, where tests may have moved. */
  readonly elsewhere: readonly PythonFile[];
  /** The names that the workspace defined and the hand-in does not; tests of what is gone are obsolete. */
  readonly gone: ReadonlySet<string>;
  readonly instruction: string;
}

/** How tests were weakened. Nothing is said of tests that were added, renamed, moved, reformatted or put in a table. */
export function weakenings(comparison: Comparison): readonly Finding[] {
  const { before, after, elsewhere, gone } = comparison;
  const now = testsOf(after);
  const others = [...now, ...elsewhere.filter(({ path }) => path !== after.path).flatMap(testsOf)];
  const old = testsOf(before);
  const gained = now.some(({ name, asserts }) => asserts.length > 0 && !old.some((test) => test.name === name));
  const lost = lostLiterals(before, after);
  const at = (line: number, severity: Finding['severity'], what: string) => ({
    path: after.path,
    line,
    severity,
    what,
  });
  return old.flatMap((test): Finding[] => {
    if (test.asserts.length === 0) return [];
    const twin = now.find(({ name }) => name === test.name);
    if (twin !== undefined) {
      const how = weakened(test, twin, lost);
      if (how === null) return [];
      return [at(twin.line, isAskedFor(comparison, test, twin) ? 'note' : 'suspect', `${test.name}: ${how}`)];
    }
    if (others.some((other) => holdsAll(other, test))) return [];
    const obsolete = [...test.uses].some((name) => gone.has(name));
    return [at(0, obsolete || gained ? 'note' : 'suspect', `${test.name} was removed`)];
  });
}

function weakened(old: PythonTest, now: PythonTest, lost: ReadonlyMap<string, number>): string | null {
  if (now.skipped && !old.skipped) return 'it is skipped, or expected to fail';
  if (now.asserts.length === 0) return 'no assertion is left that could fail';
  if (now.swallowed > old.swallowed) return 'what it asserts may fail without a word';
  if (isWithin(old.asserts, now.asserts)) return null;
  const missing = missingFrom(old.literals, now.literals).filter((literal) => (lost.get(literal) ?? 0) > 0);
  if (now.asserts.length < old.asserts.length && missing.length > 0) return 'assertions were removed';
  if (now.exact < Math.min(old.exact, now.asserts.length)) return 'it asks for less';
  return missing.length > 0 ? 'what it expects was changed' : null;
}

/** Another test that asserts the same, word by word or with all its values: a renamed, moved or merged one. */
function holdsAll(other: PythonTest, test: PythonTest): boolean {
  if (other.asserts.length === 0 || other.skipped || other.swallowed > 0) return false;
  if (isWithin(test.asserts, other.asserts)) return true;
  const told = test.literals.filter((literal) => !['True', 'False', 'None', '0', '1', ''].includes(literal));
  return told.length > 1 && isWithin(told, other.literals) && other.exact > 0;
}

/** New values that the instruction itself names are what was asked for. */
function isAskedFor({ instruction }: Comparison, old: PythonTest, now: PythonTest): boolean {
  const fresh = missingFrom(now.literals, old.literals).filter((literal) => literal.length > 1);
  return (
    fresh.length > 0 &&
    now.asserts.length >= old.asserts.length &&
    !now.skipped &&
    fresh.every((one) => instruction.includes(one))
  );
}

/** How often each literal occurs less in a file than it did; values may move from tests to tables beside them. */
function lostLiterals(before: PythonFile, after: PythonFile): ReadonlyMap<string, number> {
  const counts = countOf(allLiterals(after));
  return new Map(
    [...countOf(allLiterals(before))].map(([literal, count]) => [literal, count - (counts.get(literal) ?? 0)]),
  );
}

function countOf(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** The items of one list that the other lacks, counting repetitions. */
function missingFrom(items: readonly string[], among: readonly string[]): readonly string[] {
  const left = new Map(countOf(among));
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

function isWithin(items: readonly string[], among: readonly string[]): boolean {
  return missingFrom(items, among).length === 0;
}
