import type { GradeRow } from '../stages/grade/grade.ts';
import type { DecisionRow } from '../stages/policy/policy.ts';
import type { ProfileRow } from '../stages/profile/profile.ts';
import type { VerdictRow } from '../stages/verdict/verdict.ts';
import type { LoadedSubmission } from './load-submission.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import type { Claim } from './worker-store.ts';

/** What the steps of one job work with. */
export interface JobParts extends PipelineParts {
  /** The hand-in with its instance and task, loaded and compared with their digests once for the whole job. */
  submission(): Promise<LoadedSubmission>;
  /** Stores grades, verdicts and failed tries, unless the hand-in is another worker's by now. */
  readonly claim: Claim;
  /** Rows that this job has stored itself. */
  readonly made: { grade?: GradeRow; verdict?: VerdictRow; profile?: ProfileRow; decision?: DecisionRow };
  /** The session that handed in; null: none did. */
  session(): Promise<string | null>;
}
