import { ProctorError } from '../platform/base/errors.ts';
import type { SentFile } from '../stages/artifact/accept-files.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { NO_LABELS, type RunLabels } from '../stages/run/run.ts';
import { EMPTY_LOG, type NewEvent } from '../stages/session/event.ts';
import type { ReportedStep } from '../stages/session/reported-step.ts';
import { budgetsOf } from '../stages/session/session.ts';
import { openLog } from '../stages/session/session-log.ts';
import {
  findLogEnd,
  findSessionByKey,
  findSessionEnd,
  type StoredEnd,
  saveSession,
  saveSessionEnd,
} from '../stages/session/session-store.ts';
import { findTask } from '../stages/task/task-store.ts';
import { appendLast, closeLog, type EndRequest, endEvent, outcomeOf } from './end-session.ts';
import { keyOfSession } from './hand-in-key.ts';
import type { Pipeline } from './pipeline.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { submit } from './submit.ts';

/** A session that a harness ran in a sandbox of its own. */
export interface ReportedSession {
  readonly instanceId: string;
  readonly files: readonly SentFile[];
  /** What it says was done, in order. */
  readonly steps: readonly ReportedStep[];
  readonly idempotencyKey: string;
  readonly labels?: RunLabels | undefined;
}

const FINISHED: EndRequest = { outcome: 'finished' };

/**
 * Takes a session from a harness's word: nothing of it was seen by us, and its log says so. Its artifact is sealed and graded like any
 * other. The same under the same key is taken once.
 */
export async function importSession(
  parts: PipelineParts,
  pipeline: Pipeline,
  { instanceId, files, steps, idempotencyKey, labels = NO_LABELS }: ReportedSession,
): Promise<{ readonly sessionId: string; readonly end: StoredEnd }> {
  const { database } = parts;
  const { definition } = await findTask(parts, (await findInstance(database, instanceId)).taskDigest);
  const body = {
    ...{ driver: null, snapshot: null, recorder: { backend: 'none' as const, version: null } },
    budgets: budgetsOf(definition),
    allow: [],
  };
  const reported = { instanceId, origin: 'self-reported', body, idempotencyKey, labels } as const;
  const saved = await saveSession(database, reported);
  const session = saved ?? (await findSessionByKey(database, idempotencyKey));
  if (session === null || session.instanceId !== instanceId || session.origin !== 'self-reported') {
    throw new ProctorError('conflict', 'this idempotency key was used for another session');
  }
  const known = await findSessionEnd(database, session.id);
  if (known !== null) return { sessionId: session.id, end: known };
  const own = { database, grown: () => undefined }; // nobody watches it
  const log = await findLogEnd(database, session.id);
  // an import that was cut off goes on where it stopped
  if (log.seq === 0) await openLog(own, session.id, EMPTY_LOG).append(eventsOf(instanceId, steps));
  const handInKey = keyOfSession(session.id);
  const handIn = { files };
  const artifact = await submit(parts, pipeline, { instanceId, handIn, idempotencyKey: handInKey, labels });
  const detail = { artifactId: artifact.id, files: artifact.manifest.files.length };
  const end = await appendLast(own, session.id, endEvent(FINISHED, detail));
  const closed = await closeLog(parts, session.id, { ...outcomeOf(FINISHED), steps: steps.length, end });
  const stored = { artifactId: artifact.id, body: closed };
  await saveSessionEnd(database, session.id, stored);
  return { sessionId: session.id, end: stored };
}

function eventsOf(instanceId: string, steps: readonly ReportedStep[]): readonly NewEvent[] {
  const now = new Date();
  const opened = { type: 'session.imported', at: now, step: null, messageId: null, outcome: 'self-reported' };
  return [
    { ...opened, detail: { instance: instanceId, steps: steps.length } },
    ...steps.map(({ at, messageId, action, observation }, index) => ({
      ...{ type: 'step.reported', at: at ?? now, step: index + 1, messageId, outcome: 'self-reported' },
      detail: { action, observation },
    })),
  ];
}
