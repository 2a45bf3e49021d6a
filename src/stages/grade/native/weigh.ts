import type { CaseResult, Witness } from '../grade.ts';
import type { HiddenResult } from '../hidden-run.ts';
import type { Layout, PlacedTwin } from './layout.ts';
import type { NativeReport, Observed } from './native-report.ts';

/** What is judged: names are those that the task knows. */
export interface Weighed {
  readonly required: readonly string[];
  readonly layout: Layout;
  readonly report: NativeReport;
}

interface Sorted {
  readonly tests: ReadonlyMap<string, readonly Observed[]>;
  readonly twins: ReadonlyMap<PlacedTwin, readonly Observed[]>;
  /** Whole files of which no test could be run. */
  readonly files: readonly Observed[];
  readonly unknown: readonly Observed[];
}

/**
 * What a native run's report is worth. Pure. A required test counts when it was told once, passed, in a run that came to
 * its end; nothing counts in a run that shows signs of forging.
 */
export function weigh({ required, layout, report }: Weighed): HiddenResult & { witness: Witness } {
  const sorted = sort(layout, report.observed);
  const green = [...new Set(layout.twins.filter((twin) => isGreen(twin, sorted)).map(({ of }) => of))].sort();
  const signs = signsOf({ required, layout, report }, sorted);
  const disbelieved = disbelief({ green, signs, report });
  const results = required.flatMap((id) => (sorted.tests.get(id) ?? []).map((seen) => believe(seen, id, disbelieved)));
  const told = new Set(results.map(({ id }) => id));
  const covered = required.filter((id) => layout.twins.some(({ of }) => stands(of, id)));
  return {
    required,
    results: [...results, ...required.filter((id) => !told.has(id)).flatMap((id) => untold(id, report, sorted))],
    assurance: assuranceOf(layout),
    witness: { twins: layout.twins.length, testsWithTwins: covered.length, of: required.length, green, signs },
  };
}

/** Without a single twin nothing would show a forged run. */
export function assuranceOf({ twins }: Pick<Layout, 'twins'>): 'witnessed' | 'plain' {
  return twins.length > 0 ? 'witnessed' : 'plain';
}

/** Why no passed test of a run counts, or null. */
function disbelief({
  green,
  signs,
  report,
}: Pick<Witness, 'green' | 'signs'> & { report: NativeReport }): string | null {
  if (green.length > 0) return 'the run is not believed: a test passed together with a twin that says the contrary';
  if (signs.length > 0) return `the run is not believed: ${signs.join(', ')}`;
  return report.complete ? null : `the run did not come to its end: ${report.why}`;
}

function sort(layout: Layout, observed: readonly Observed[]): Sorted {
  const tests = new Map<string, Observed[]>();
  const twins = new Map<PlacedTwin, Observed[]>();
  const files: Observed[] = [];
  const unknown: Observed[] = [];
  for (const seen of observed) {
    const meaning = layout.meaningOf(seen.id);
    if (meaning.kind === 'test') append(tests, meaning.id, seen);
    else if (meaning.kind === 'twin') append(twins, meaning.twin, seen);
    else if (meaning.kind === 'file') files.push(seen);
    else if (meaning.kind === 'unknown') unknown.push(seen);
  }
  return { tests, twins, files, unknown };
}

function append<K>(to: Map<K, Observed[]>, key: K, seen: Observed): void {
  const known = to.get(key);
  if (known === undefined) to.set(key, [seen]);
  else known.push(seen);
}

/** A twin's `of` names a test, or all of a test's parameters. */
function stands(of: string, id: string): boolean {
  return id === of || id.startsWith(`${of}[`);
}

/**
 * Only both at once cannot be: a twin alone may pass because the answer is wrong in just the way of the twin.
 * Honest mistakes must not look like forging.
 */
function isGreen(twin: PlacedTwin, { tests, twins }: Sorted): boolean {
  const { row = null } = twin;
  const told = (twins.get(twin) ?? []).filter((_seen, index) => row === null || index === row);
  if (!told.some(({ status }) => status === 'passed')) return false;
  const originals = [...tests].filter(([id]) => stands(twin.of, id)).flatMap(([, seen]) => seen);
  return originals.length > 0 && originals.every(({ status }) => status === 'passed');
}

function signsOf({ required, layout, report }: Weighed, sorted: Sorted): Witness['signs'] {
  const { tests, twins, unknown } = sorted;
  const names = report.observed.map(({ id }) => id);
  const twice = required.some((id) => (tests.get(id) ?? []).length > 1) || new Set(names).size < names.length;
  const lost = layout.twins.filter((twin) => {
    const originalTold = [...tests.keys()].some((id) => stands(twin.of, id) && required.includes(id));
    return originalTold && (twins.get(twin)?.length ?? 0) <= (twin.row ?? 0);
  });
  const found = {
    'broken-report': report.broken,
    'duplicate-result': twice,
    'unknown-result': unknown.length > 0,
    'twin-without-result': report.complete && lost.length > 0,
    'exit-disagrees': report.complete && !exitAgrees(report),
  } as const satisfies Record<Witness['signs'][number], boolean>;
  return (Object.keys(found) as (keyof typeof found)[]).filter((sign) => found[sign]);
}

function exitAgrees({ ending, observed, exitRule }: NativeReport): boolean {
  const failed = observed.some(({ status }) => status !== 'passed' && status !== 'skipped');
  const succeeded = ending.kind === 'exited' && ending.code === 0;
  return succeeded ? !failed || exitRule === 'failing' : failed || observed.length === 0;
}

function believe(seen: Observed, id: string, disbelieved: string | null): CaseResult {
  if (disbelieved === null || seen.status !== 'passed') return { ...seen, id };
  return { ...seen, id, status: 'failed', note: disbelieved };
}

/** A required test without a result; none when there is nothing to say but that. */
function untold(id: string, { complete, ending, why }: NativeReport, { files }: Sorted): readonly CaseResult[] {
  const file = files[0];
  if (complete) return file === undefined ? [] : [{ id, status: 'failed', note: file.note, wallMs: 0 }];
  const status = ending.kind === 'timed-out' || ending.kind === 'stopped' ? 'timed-out' : 'crashed';
  return [{ id, status, note: `the run did not come to its end: ${why}`, wallMs: 0 }];
}
