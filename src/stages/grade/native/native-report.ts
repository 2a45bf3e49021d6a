import type { Ending } from '../../../platform/sandbox/sandbox.ts';
import type { CaseResult } from '../grade.ts';

/** One result as a runner told it, under the name that the test had in this run. */
export type Observed = CaseResult;

/** What one run of a native runner told. All of it comes out of a sandbox in which the candidate's code ran. */
export interface NativeReport {
  readonly observed: readonly Observed[];
  /** Whether the run came to its regular end: the completion witness was there, and nothing was cut. */
  readonly complete: boolean;
  /** Why it did not, in words; empty when it did. */
  readonly why: string;
  readonly ending: Ending;
  /** Whether something was on the report's channel that the runner never writes. */
  readonly broken: boolean;
  /** `both`: exit code 0 exactly when nothing failed; `failing`: some other code only when something failed. */
  readonly exitRule: 'both' | 'failing';
}
