import { messageOf } from '../platform/base/errors.ts';
import { archiveEvents } from '../stages/session/archive.ts';
import type { LogEnd, NewEvent } from '../stages/session/event.ts';
import type { SessionEnd } from '../stages/session/session.ts';
import { allEvents, digestOfLog, type StoredEnd, saveSessionEnd } from '../stages/session/session-store.ts';
import type { HeldSession, SessionHostParts } from './held-session.ts';

/** How a session is to end. */
export type EndRequest =
  | { readonly outcome: 'finished' }
  | { readonly outcome: 'abandoned'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly fault: 'subject' | 'task' | 'platform'; readonly reason: string };

/** What is stored of an end, before its log is closed. */
type Outcome = Pick<SessionEnd, 'outcome' | 'fault' | 'reason' | 'retry'>;

/**
 * Ends all that runs, completes the record, hands in what was left where that is asked for, and closes the log. When it rejects the
 * session is not ended, and it may be asked again; its programs are over.
 */
export async function endSession(
  parts: SessionHostParts,
  session: HeldSession,
  request: EndRequest,
): Promise<StoredEnd> {
  const { live, network } = session;
  const { row, sandbox } = live;
  await live.seal();
  await live.log.append(await network.seal());
  const artifact =
    request.outcome === 'finished' ? await parts.handIn(row.id, row.instanceId, sandbox.workFolder) : null;
  const artifactId = artifact?.id ?? null;
  const end = await live.log.append([endEvent(request, { artifactId, files: artifact?.manifest.files.length ?? 0 })]);
  const body = await closeLog(parts, row.id, { ...outcomeOf(request), steps: live.state().used.steps, end });
  await saveSessionEnd(parts.database, row.id, { artifactId, body });
  await network.close();
  await sandbox.destroy().catch((thrown) => {
    parts.log.warn(
      { session: row.id, reason: messageOf(thrown) },
      'a workspace could not be cleared away; the reaper will',
    );
  });
  return { artifactId, body };
}

/** Ends a session of which nothing is left but its log: its machine or its sandbox is gone. */
export async function endLost(
  parts: Pick<SessionHostParts, 'database' | 'blobs'>,
  lost: {
    readonly sessionId: string;
    readonly steps: number;
    readonly append: (events: readonly NewEvent[]) => Promise<LogEnd>;
  },
  reason: string,
): Promise<StoredEnd> {
  const request: EndRequest = { outcome: 'failed', fault: 'platform', reason };
  const end = await lost.append([endEvent(request, {})]);
  const body = await closeLog(parts, lost.sessionId, { ...outcomeOf(request), steps: lost.steps, end });
  await saveSessionEnd(parts.database, lost.sessionId, { artifactId: null, body });
  return { artifactId: null, body };
}

/** What is stored of a session whose log has its last event. */
export async function closeLog(
  { database, blobs }: Pick<SessionHostParts, 'database' | 'blobs'>,
  sessionId: string,
  { end, ...rest }: Outcome & { readonly steps: number; readonly end: LogEnd },
): Promise<SessionEnd> {
  const archive = await archiveEvents(blobs, sessionId, await allEvents(database, sessionId));
  return { ...rest, events: end.seq, log: digestOfLog(end), archive };
}

function outcomeOf(request: EndRequest): Outcome {
  switch (request.outcome) {
    case 'finished':
      return { outcome: 'finished', fault: 'none', reason: null, retry: false };
    case 'abandoned':
      return { outcome: 'abandoned', fault: 'none', reason: request.reason, retry: false };
    case 'failed':
      return { outcome: 'failed', fault: request.fault, reason: request.reason, retry: request.fault === 'platform' };
  }
}

function endEvent(request: EndRequest, detail: NewEvent['detail']): NewEvent {
  const { fault, reason } = outcomeOf(request);
  const place = { at: new Date(), step: null, messageId: null };
  return {
    ...place,
    type: `session.${request.outcome}`,
    outcome: fault === 'none' ? 'ok' : fault,
    detail: { ...detail, reason },
  };
}
