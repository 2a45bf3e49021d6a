import type { ProctorError } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { Queue } from '../platform/queue/queue.ts';
import type { Sealer } from '../stages/evidence/seal-evidence.ts';
import type { GradeParts } from '../stages/grade/grade-artifact.ts';
import type { JudgeOptions } from '../stages/opinion/ask-judge.ts';
import type { Policies } from '../stages/policy/load-policy.ts';
import type { RunAlarm } from '../stages/policy/watch-shares.ts';
import type { Cohorts } from '../stages/profile/open-cohorts.ts';
import type { OpenBound } from './open-bound.ts';
import type { StepName } from './step-name.ts';
import type { Worker } from './worker-store.ts';

/** Told about every step, for metrics, progress and tests that stage a crash. */
export interface StepEvent {
  readonly step: StepName;
  readonly id: string;
  readonly moment: 'begin' | 'done' | 'failed' | 'gave-up';
  readonly wallMs: number;
}

/** What the pipeline is built from. */
export interface PipelineParts extends GradeParts {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly openBound: OpenBound;
  /** This process among those that work on the database. */
  readonly worker: Worker;
  readonly policies: Policies;
  /** A language model that is asked about sessions; null: none. */
  readonly judge: JudgeOptions | null;
  /** What sessions are compared with. */
  readonly cohorts: Cohorts;
  /** A policy that decides beside the live one, for comparison only; none: null. */
  readonly shadowPolicy?: string | null;
  /** Told when a run passes a limit of its policy's guard. */
  readonly alarm?: (alarm: RunAlarm) => void;
  /** Signs the evidence of every verdict. */
  readonly sealer: Sealer;
  readonly log: Log;
  readonly observe?: (event: StepEvent) => void;
  /** Told why a step failed; see `NodeHealth.doubt`. */
  readonly doubt?: (error: ProctorError) => void;
}
