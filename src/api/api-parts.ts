import type { ProctorError } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { OnceRequest, OnceResult } from '../platform/sandbox/run-once.ts';
import type { SentFile } from '../stages/artifact/accept-files.ts';
import type { ArtifactRow } from '../stages/artifact/artifact.ts';
import type { Instance, InstanceRequest, InstanceRow, Phase } from '../stages/instance/instance.ts';
import type { CaseRow } from '../stages/review/review.ts';
import type { Appeal, CaseRuling, GroupReport, GroupRuling, Ruled, Undoing } from '../stages/review/ruled.ts';
import type { RewardWatch } from '../stages/reward/reward-watch.ts';
import type { RunLabels } from '../stages/run/run.ts';
import type { Observation } from '../stages/session/observation.ts';
import type { ReportedStep } from '../stages/session/reported-step.ts';
import type { SessionRow } from '../stages/session/session.ts';
import type { ActRequest } from '../stages/session/session-parts.ts';
import type { StoredEnd } from '../stages/session/session-store.ts';
import type { Task } from '../stages/task/task.ts';
import type { RegradeReport } from '../stages/verdict/regrade-report.ts';
import type { Metrics } from './metrics.ts';
import type { Detail } from './reward-detail.ts';

/** Sessions as the API uses them. */
export interface ApiSessions {
  open(request: {
    readonly instanceId: string;
    readonly idempotencyKey: string | null;
    readonly labels: RunLabels;
  }): Promise<SessionRow>;
  act(id: string, request: ActRequest): Promise<Observation>;
  finish(id: string): Promise<StoredEnd>;
  abandon(id: string): Promise<StoredEnd>;
  has(id: string): boolean;
  watch(id: string, listener: { grown(): void; output(stream: 'stdout' | 'stderr', chunk: Buffer): void }): () => void;
}

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
    labels: RunLabels;
  }) => Promise<ArtifactRow>;
  /** Grades a stored hand-in again and compares; see `pipeline/regrade.ts`. */
  readonly regrade: (verdictId: string) => Promise<RegradeReport>;
  /** Empty when the service can grade; else why it cannot. */
  readonly notReady: () => Promise<readonly string[]>;
  /** Workspaces of this process, or why it has none; see `pipeline/session-host.ts`. */
  readonly sessions: ApiSessions | null;
  /** Where other processes with workspaces are reached: that of a session, and one for a new session; null where none is. */
  readonly elsewhere: {
    ofSession(id: string): Promise<string | null>;
    forNew(): Promise<string | null>;
  };
  /** Makes and stores instances, and refuses retired ones; see `pipeline/draw-instance.ts`. */
  readonly instances: {
    serve(task: Task, request: InstanceRequest): Promise<{ readonly row: InstanceRow; readonly instance: Instance }>;
    refuseRetired(instanceId: string, phase: Phase): Promise<void>;
  };
  /** Takes a session from a harness's word; see `pipeline/import-session.ts`. */
  readonly importSession: (session: {
    readonly instanceId: string;
    readonly files: readonly SentFile[];
    readonly steps: readonly ReportedStep[];
    readonly idempotencyKey: string;
    readonly labels: RunLabels;
  }) => Promise<{ readonly sessionId: string; readonly end: StoredEnd }>;
  /** Rulings of people on cases; see `pipeline/rule-case.ts`. */
  readonly reviews: {
    rule(ruling: CaseRuling): Promise<Ruled>;
    ruleGroup(ruling: GroupRuling): Promise<readonly GroupReport[]>;
    undo(undoing: Undoing): Promise<Ruled>;
    appeal(appeal: Appeal): Promise<CaseRow>;
  };
  /** Calls of one key in a second; 0: any number. */
  readonly callsPerSecond: number;
  /** What trainer keys are told beside the reward. */
  readonly trainerDetail: Detail;
  /** Hosts that webhooks may reach inside; see `platform/egress/post-outside.ts`. */
  readonly webhookAllow: readonly string[];
  /** Runs programs of callers, each in a sandbox of its own, and how many at once; null where this process has no sandboxes. */
  readonly programs: { run(request: OnceRequest): Promise<OnceResult>; readonly places: number } | null;
  readonly maxUploadBytes: number;
  readonly metricsOpen: boolean;
}
