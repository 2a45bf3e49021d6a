import type { RequiredTests } from '../../src/stages/grade/required-tests.ts';
import { type Baseline, type RealPackage, runInProcess, withBug } from './packages.ts';
import { artifactOf, type Place, runThroughSplit, type SplitResult, taskOf } from './split-suite.ts';

/** A test that came out otherwise than in one process. */
export interface Difference {
  readonly id: string;
  readonly status: string;
  /** The line of the note that says what was raised, or its first one. */
  readonly why: string;
  /** All of what pytest said. */
  readonly note: string;
}

/** One package's suite in one process, and through the split as reference, as grade and with a seeded fault. */
export interface Comparison {
  readonly package: string;
  readonly version: string;
  /** Tests that passed in one process; all other counts are of these. */
  readonly inProcess: number;
  readonly throughSplit: number;
  /** `throughSplit / inProcess`. */
  readonly share: number;
  /** Tests that passed again with no more of the candidate's word than before. */
  readonly asGrade: number;
  /** Tests that passed with an answer of the candidate's taken on trust. */
  readonly believed: number;
  /** Tests of the grade that the seeded fault broke. */
  readonly bugFailed: number;
  readonly seconds: {
    readonly inProcess: number;
    readonly record: number;
    readonly grade: number;
    readonly bug: number;
  };
  readonly notThroughSplit: readonly Difference[];
  readonly notAsGrade: readonly Difference[];
  /** Tests that failed in one process and passed through the split: nobody should be able to explain one. */
  readonly onlyThroughSplit: readonly string[];
}

/** Where to run, where the packages are, and whom to tell what is being done. */
export interface Comparing extends Place {
  readonly cache: string;
  readonly tell: (text: string) => void;
}

/** Runs all of one package. */
export async function comparePackage(comparing: Comparing, entry: RealPackage): Promise<Comparison> {
  const { cache, tell } = comparing;
  tell(`${entry.name}: in one process`);
  const baseline = await runInProcess(entry.name, cache);
  const task = await taskOf(entry, cache);
  const artifact = await artifactOf(entry, cache);
  tell(`${entry.name}: ${baseline.passed.length} passed; through the split`);
  const record = await runThroughSplit(comparing, { task, artifact, required: null });
  const required = profileOf(baseline, record);
  tell(`${entry.name}: ${Object.keys(required).length} passed in ${record.seconds.toFixed(1)} s; as a grade`);
  const grade = await runThroughSplit(comparing, { task, artifact, required });
  tell(`${entry.name}: ${passedIn(grade).size} passed; with the seeded bug`);
  const bug = await runThroughSplit(comparing, { task, artifact: withBug(artifact, entry), required });
  return comparisonOf(entry, { baseline, record, required, grade, bug });
}

/** What admission would keep: the tests that pass both ways, and how often the candidate's word was taken in each. */
function profileOf({ passed }: Baseline, record: SplitResult): RequiredTests {
  const both = passedIn(record);
  const kept = passed.filter((id) => both.has(id));
  return Object.fromEntries(
    kept.map((id) => [id, { words: record.words.get(id) ?? {}, uses: record.uses.get(id) ?? [] }]),
  );
}

interface Runs {
  readonly baseline: Baseline;
  readonly record: SplitResult;
  readonly required: RequiredTests;
  readonly grade: SplitResult;
  readonly bug: SplitResult;
}

function comparisonOf(entry: RealPackage, { baseline, record, required, grade, bug }: Runs): Comparison {
  const carried = Object.keys(required);
  const again = passedIn(grade);
  const withFault = passedIn(bug);
  const failedInProcess = new Set(baseline.failed);
  return {
    package: entry.name,
    version: entry.version,
    inProcess: baseline.passed.length,
    throughSplit: carried.length,
    share: carried.length / baseline.passed.length,
    asGrade: again.size,
    believed: carried.filter((id) => Object.keys(required[id]?.words ?? {}).length > 0).length,
    bugFailed: carried.filter((id) => again.has(id) && !withFault.has(id)).length,
    seconds: {
      inProcess: baseline.seconds,
      record: record.seconds,
      grade: grade.seconds,
      bug: bug.seconds,
    },
    notThroughSplit: differences(baseline.passed, record),
    notAsGrade: differences(carried, grade),
    onlyThroughSplit: [...passedIn(record)].filter((id) => failedInProcess.has(id)),
  };
}

function passedIn({ cases }: SplitResult): ReadonlySet<string> {
  return new Set(cases.filter(({ status }) => status === 'passed').map(({ id }) => id));
}

/** The tests that did not pass, each with what is known about it: at least that its file could not be collected. */
function differences(expected: readonly string[], { cases, problems }: SplitResult): readonly Difference[] {
  const results = new Map(cases.map((result) => [result.id, result]));
  return expected.flatMap((id) => {
    const result = results.get(id);
    if (result?.status === 'passed') return [];
    const problem = problems.find((uncollected) => id.startsWith(`${uncollected.id}::`));
    const note = result?.note ?? problem?.note ?? 'no result';
    return [{ id, status: result?.status ?? 'not collected', why: whyOf(note), note }];
  });
}

/** pytest marks what was raised by an E at the beginning of the line. */
function whyOf(note: string): string {
  const lines = note.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => line.startsWith('E ')) ?? lines[0] ?? '').replace(/^E\s+/, '').trim();
}
