import { messageOf } from '../platform/base/errors.ts';
import { archiveEvents } from '../stages/session/archive.ts';
import { LAST_EVENTS, type LogEnd, type NewEvent } from '../stages/session/event.ts';
import type { SessionEnd } from '../stages/session/session.ts';
import { openLog } from '../stages/session/session-log.ts';
import {
  allEvents,
  digestOfLog,
  findLogEnd,
  forgetLive,
  listEvents,
  type StoredEnd,
  saveSessionEnd,
} from '../stages/session/session-store.ts';
import type { HeldSession, SessionHostParts } from './held-session.ts';

/** How a session is to end. */
export type EndRequest =
  | { readonly outcome: 'finished' }
  | { readonly outcome: 'abandoned'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly fault: 'subject' | 'task' | 'platform'; readonly reason: string };

/** What is stored of an end, before its log is closed. */
type Outcome = Pick<SessionEnd, 'outcome' | 'fault' | 'reason' | 'retry'>;

/** A session that is being ended, and how far that is: what failed on the way is gone on with. */
export interface Ending {
  readonly request: EndRequest;
  /** Once its log has its last event. */
  closed: { readonly artifactId: string | null; readonly end: LogEnd } | null;
}

/**
 * Ends all that runs, completes the record, hands in what was left where that is asked for, and closes the log. When it rejects the
 * session is not ended, and it may be asked again; its programs are over.
 */
export async function endSession(parts: SessionHostParts, session: HeldSession, ending: Ending): Promise<StoredEnd> {
  const { live, network } = session;
  const { row } = live;
  ending.closed ??= await closeSession(parts, session, ending.request);
  const { artifactId, end } = ending.closed;
  const body = await closeLog(parts, row.id, { ...outcomeOf(ending.request), steps: live.state().used.steps, end });
  await saveEnd(parts, row.id, { artifactId, body });
  await network.close();
  await clearAway(parts, session);
  return { artifactId, body };
}

async function closeSession(parts: SessionHostParts, { live, network }: HeldSession, request: EndRequest) {
  const { row, sandbox } = live;
  await live.seal(() => network.seal());
  const artifact = request.outcome === 'finished' ? await parts.handIn(row, sandbox.workFolder) : null;
  const artifactId = artifact?.id ?? null;
  const end = await live.log.append([endEvent(request, { artifactId, files: artifact?.manifest.files.length ?? 0 })]);
  return { artifactId, end };
}

/** Destroys a sandbox whose session is over, or another process's; what cannot be removed now is tried again by its driver. */
export async function clearAway({ log }: Pick<SessionHostParts, 'log'>, { live }: HeldSession): Promise<void> {
  await live.sandbox.destroy().catch((thrown) => {
    log.warn(
      { session: live.row.id, reason: messageOf(thrown) },
      'a workspace could not be cleared away; it is tried again',
    );
  });
}

function saveEnd({ database }: Pick<SessionHostParts, 'database'>, sessionId: string, end: StoredEnd): Promise<void> {
  return database.transaction(async (transaction) => {
    await saveSessionEnd(transaction, sessionId, end);
    await forgetLive(transaction, sessionId);
  });
}

/** Ends a session of which nothing is left but its log: its machine or its sandbox is gone. One that had handed in just before has finished. */
export async function endLost(
  parts: Pick<SessionHostParts, 'database' | 'blobs' | 'handedIn' | 'grown'>,
  lost: { readonly sessionId: string; readonly steps: number },
  reason: string,
): Promise<StoredEnd> {
  const { sessionId, steps } = lost;
  const artifactId = await parts.handedIn(sessionId);
  const request: EndRequest =
    artifactId === null ? { outcome: 'failed', fault: 'platform', reason } : { outcome: 'finished' };
  const end = await appendLast(parts, sessionId, endEvent(request, artifactId === null ? {} : { artifactId }));
  const body = await closeLog(parts, sessionId, { ...outcomeOf(request), steps, end });
  await saveEnd(parts, sessionId, { artifactId, body });
  return { artifactId, body };
}

/** Appends the last event to a log that nobody else writes, unless it has its last one. */
export async function appendLast(
  parts: Pick<SessionHostParts, 'database' | 'grown'>,
  sessionId: string,
  event: NewEvent,
): Promise<LogEnd> {
  const known = await findLogEnd(parts.database, sessionId);
  const [last] = await listEvents(parts.database, sessionId, { after: known.seq - 1, limit: 1 });
  return LAST_EVENTS.includes(last?.type ?? '') ? known : openLog(parts, sessionId, known).append([event]);
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

/** What is stored of how a session has ended. */
export function outcomeOf(request: EndRequest): Outcome {
  switch (request.outcome) {
    case 'finished':
      return { outcome: 'finished', fault: 'none', reason: null, retry: false };
    case 'abandoned':
      return { outcome: 'abandoned', fault: 'none', reason: request.reason, retry: false };
    case 'failed':
      return { outcome: 'failed', fault: request.fault, reason: request.reason, retry: request.fault === 'platform' };
  }
}

/** The last event of a log. */
export function endEvent(request: EndRequest, detail: NewEvent['detail']): NewEvent {
  const { fault, reason } = outcomeOf(request);
  const place = { at: new Date(), step: null, messageId: null };
  return {
    ...place,
    type: `session.${request.outcome}`,
    outcome: fault === 'none' ? 'ok' : fault,
    detail: { ...detail, reason },
  };
}
