import type { InstanceRow } from '../../instance/instance.ts';
import type { NativeSettings } from '../../task/native.ts';
import type { Task, TaskFile } from '../../task/task.ts';
import type { CaseResult } from '../grade.ts';
import type { HiddenRun } from '../hidden-run.ts';
import type { HiddenFiles } from './hidden-files.ts';
import type { Layout } from './layout.ts';
import type { NativeReport } from './native-report.ts';
import type { NativeRequired } from './required-native.ts';

/** What a runner's layout is made of. */
export interface LayoutRequest {
  readonly run: HiddenRun;
  readonly settings: NativeSettings;
  readonly hidden: HiddenFiles;
  readonly required: NativeRequired;
}

/** A layout that stands in the candidate's sandbox. */
export interface NativeRun {
  readonly run: HiddenRun;
  readonly settings: NativeSettings;
  readonly layout: Layout;
  /** `performance.now()` at which the run is over. */
  readonly deadlineMs: number;
}

/** Why no test was run: the candidate's doing. */
export type Refused = Pick<CaseResult, 'status' | 'note'>;

/** One test runner. */
export interface NativeRunner {
  /** Commands that succeed where the runner is installed; run where there is no candidate. */
  readonly probes: (settings: NativeSettings) => readonly (readonly [string, ...string[]])[];
  /** Draws names and places for the hidden tests. Runs nothing where the candidate is. */
  readonly lay: (request: LayoutRequest) => Promise<Layout>;
  /** Files that stand beside the hidden tests so that none of the artifact's steers the runner. */
  readonly steadying?: (task: Task, instance: InstanceRow) => readonly TaskFile[];
  /** What must be done in the artifact before the hidden tests are there; gives why it could not be done. */
  readonly prepare?: (run: HiddenRun) => Promise<Refused | null>;
  /** Runs the tests and gives all that was told. Rejects for platform faults only. */
  readonly test: (native: NativeRun) => Promise<NativeReport>;
}
