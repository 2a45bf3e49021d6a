import type { Log } from '../../platform/base/log.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Recorder } from '../../platform/recorder/recorder.ts';
import type { CheckedAction } from './environments.ts';

/** What sessions work with. */
export interface SessionParts {
  readonly database: Database;
  readonly blobs: Blobs;
  readonly recorder: Recorder;
  readonly log: Log;
  /** This process among those that may have sessions. */
  readonly workerId: string;
  /** Is told that a session's log has grown. */
  readonly grown: (sessionId: string) => void;
}

/** What a harness says beside the action. */
export interface ActRequest {
  readonly action: CheckedAction;
  /** The caller's own; the same again gives the same observation and makes no step. */
  readonly stepId?: string | null;
  /** Of the agent's message that asked for it. */
  readonly messageId: string | null;
  /** Tokens that the agent has used since the last action, as the harness counts them. */
  readonly tokens: number;
  /** Is told output as it comes. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}
