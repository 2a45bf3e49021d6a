import type { Log } from '../platform/base/log.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { LiveDriver } from '../platform/sandbox/live-sandbox.ts';
import type { Snapshots } from '../platform/snapshots/snapshots.ts';
import type { ArtifactRow } from '../stages/artifact/artifact.ts';
import type { RunLabels } from '../stages/run/run.ts';
import type { HouseRules } from '../stages/session/house-rules.ts';
import type { LiveSession } from '../stages/session/live-session.ts';
import type { NetworkOptions, SessionNetwork } from '../stages/session/network.ts';
import type { Tools } from '../stages/session/open-workspace.ts';
import type { SessionRow } from '../stages/session/session.ts';
import type { SessionParts } from '../stages/session/session-parts.ts';
import type { Workspaces } from './workspace-pool.ts';

/** What sessions are held with. */
export interface SessionHostParts extends SessionParts {
  readonly driver: LiveDriver;
  readonly snapshots: Snapshots;
  readonly blobs: Blobs;
  readonly log: Log;
  /** This machine, by its name among those that share the database. */
  readonly node: string;
  readonly network: NetworkOptions;
  readonly workspaces: Workspaces;
  /** What the policy of an instance's task enforces while a session runs. */
  readonly houseRules: (instanceId: string) => Promise<HouseRules>;
  /** Seals what a session left and begins its grading; the same artifact when it is asked for again. */
  readonly handIn: (session: SessionRow, folder: string) => Promise<ArtifactRow>;
  /** The artifact that a session has handed in; null: none. */
  readonly handedIn: (sessionId: string) => Promise<string | null>;
}

/** A session that this process holds. */
export interface HeldSession {
  readonly live: LiveSession;
  readonly network: SessionNetwork;
  /** When it is abandoned, epoch milliseconds. */
  readonly untilMs: number;
}

/** What a session is opened for. */
export interface OpenRequest {
  readonly instanceId: string;
  readonly idempotencyKey: string | null;
  readonly labels?: RunLabels | undefined;
  /** What whoever runs this process adds to the task's own; nobody who comes by the network can. */
  readonly extras?: SessionExtras;
}

/** Beyond what a task says. */
export interface SessionExtras {
  readonly tools: Tools;
  readonly env: Readonly<Record<string, string>>;
  /** Hosts that may be reached beside the task's. */
  readonly allow: readonly string[];
}
