import type { ProctorError } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { SentFile } from '../stages/artifact/accept-files.ts';
import type { ArtifactRow } from '../stages/artifact/artifact.ts';
import type { RewardWatch } from '../stages/reward/reward-watch.ts';
import type { RegradeReport } from '../stages/verdict/regrade-report.ts';
import type { Metrics } from './metrics.ts';

/** What the API needs; it decides nothing itself. */
export interface ApiParts {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly rewards: RewardWatch;
  /** Why a hand-in cannot get a reward until somebody mends it, or null; see `pipeline/await-reward.ts`. */
  readonly stuck: (artifactId: string) => Promise<ProctorError | null>;
  /** Seals, stores and begins the work; see `pipeline/submit.ts`. */
  readonly submit: (request: {
    instanceId: string;
    files: readonly SentFile[];
    idempotencyKey?: string | undefined;
  }) => Promise<ArtifactRow>;
  /** Grades a stored hand-in again and compares; see `pipeline/regrade.ts`. */
  readonly regrade: (verdictId: string) => Promise<RegradeReport>;
  /** Empty when the service can grade; else why it cannot. */
  readonly notReady: () => Promise<readonly string[]>;
  readonly maxUploadBytes: number;
  readonly metricsOpen: boolean;
}
