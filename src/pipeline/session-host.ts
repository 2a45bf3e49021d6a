import { asProctorError, ProctorError } from '../platform/base/errors.ts';
import { NO_LABELS } from '../stages/run/run.ts';
import type { Observation } from '../stages/session/observation.ts';
import type { SessionRow } from '../stages/session/session.ts';
import type { ActRequest } from '../stages/session/session-parts.ts';
import { findLive, findSessionByKey, findSessionEnd, type StoredEnd } from '../stages/session/session-store.ts';
import { adoptSessions, endOrphans } from './adopt-sessions.ts';
import { clearAway, type Ending, type EndRequest, endSession } from './end-session.ts';
import type { HeldSession, OpenRequest, SessionHostParts } from './held-session.ts';
import { findWorkspaceSession, loadForSession, openOnce } from './open-session.ts';
import { openWorkspaces } from './workspace-pool.ts';

/** How often a workspace is tried to be made; only what the platform failed to do is tried again. */
const TRIES = 3;
const LOOK_EVERY_MS = 5_000;

/** Is told what happens in a session. */
export interface SessionListener {
  grown(): void;
  output(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

/** Sessions of this process. Errors beside those of the platform: `not-found`, `conflict` (it has ended, a step is being made). */
export interface SessionHost {
  /** Opens a session on an instance; the one that was opened before under the same idempotency key is given back. */
  open(request: OpenRequest): Promise<SessionRow>;
  act(id: string, request: ActRequest): Promise<Observation>;
  /** Ends it and hands in what it left; asked again, it gives the same. */
  finish(id: string): Promise<StoredEnd>;
  /** Ends it without handing anything in. */
  abandon(id: string): Promise<StoredEnd>;
  /** Tells a listener that a session's log has grown, and what its programs write as they do; gives the function that stops it. */
  watch(id: string, listener: SessionListener): () => void;
  /** Whether this process has it. */
  has(id: string): boolean;
  /** How many there are. */
  count(): number;
  /** Leaves all sessions where they stand, for whoever takes them over. */
  close(): Promise<void>;
}

/** How a process holds sessions. */
export interface HostOptions extends Omit<SessionHostParts, 'grown' | 'workspaces'> {
  /** Workspaces of each kind that wait for the next session. */
  readonly warm: number;
  /** Whether it takes over what other processes of this machine have left: one that ends soon must not. */
  readonly adopts: boolean;
}

/** Takes over what an earlier process of this machine has left, then holds what is opened here. */
export async function openSessionHost(given: HostOptions): Promise<SessionHost> {
  const listeners = openListeners();
  const workspaces = openWorkspaces(given, given.warm);
  const parts: SessionHostParts = {
    ...given,
    workspaces,
    grown: (id) => listeners.tell(id, (listener) => listener.grown()),
  };
  const held = new Map<string, HeldSession>();
  const endings = openEndings(parts, held);
  const adopt = async () => {
    if (!given.adopts) return;
    await adoptSessions(parts, (session) => held.set(session.live.row.id, session));
    await endOrphans(parts);
  };
  await adopt();
  const endOr = async (id: string, request: EndRequest) => {
    const session = held.get(id);
    if (session !== undefined) return endings.end(session, request);
    const stored = await findSessionEnd(parts.database, (await findWorkspaceSession(parts, id)).id);
    if (stored !== null) return stored;
    throw await notHere(parts, id);
  };
  const act = actOn({ parts, held, listeners, end: endings.end });
  const stopLooking = lookFrom(parts, held, { end: endings.end, adopt });
  return {
    open: (request) => open(parts, held, request),
    act,
    finish: (id) => endOr(id, { outcome: 'finished' }),
    abandon: (id) => endOr(id, { outcome: 'abandoned', reason: 'the harness gave it up' }),
    watch: listeners.add,
    has: (id) => held.has(id),
    count: () => held.size,
    async close() {
      stopLooking();
      await workspaces.close();
      await endings.done();
      await leaveAll(held.values());
    },
  };
}

/** Makes a step in a session that is here; one that is lost by it ends. */
function actOn(host: {
  readonly parts: SessionHostParts;
  readonly held: ReadonlyMap<string, HeldSession>;
  readonly listeners: ReturnType<typeof openListeners>;
  readonly end: (session: HeldSession, request: EndRequest) => Promise<StoredEnd>;
}): SessionHost['act'] {
  const { parts, held, listeners, end } = host;
  return async (id, request) => {
    const session = held.get(id);
    if (session === undefined) throw await notHere(parts, id);
    const onOutput: ActRequest['onOutput'] = (stream, chunk) =>
      listeners.tell(id, (listener) => listener.output(stream, chunk));
    return session.live.act({ ...request, onOutput }).catch((thrown) => {
      // no step can be made any more, or it is another process's: nobody waits for that
      const isLost = asProctorError(thrown).code === 'lease-lost' || !session.live.sandbox.isAlive();
      if (isLost) void end(session, failure(thrown)).catch(() => undefined);
      throw thrown;
    });
  };
}

function openListeners() {
  const bySession = new Map<string, Set<SessionListener>>();
  return {
    add(id: string, listener: SessionListener) {
      const known = bySession.get(id) ?? new Set();
      bySession.set(id, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0) bySession.delete(id);
      };
    },
    tell(id: string, word: (listener: SessionListener) => void) {
      for (const listener of bySession.get(id) ?? []) word(listener);
    },
  };
}

/** What runs in them goes on. */
async function leaveAll(sessions: Iterable<HeldSession>): Promise<void> {
  for (const { live, network } of sessions) {
    await live.idle();
    await network.close();
    live.sandbox.leave();
  }
}

/**
 * Each session ends once, however often it is asked to. When that fails on the way, the first that was asked for is what is tried again:
 * its programs are over by then, which must not be taken for a sandbox that was lost.
 */
function openEndings(parts: SessionHostParts, held: Map<string, HeldSession>) {
  const asked = new Map<string, RunningEnding>();
  return {
    end(session: HeldSession, request: EndRequest): Promise<StoredEnd> {
      const { id } = session.live.row;
      const ending: RunningEnding = asked.get(id) ?? { request, closed: null, running: null };
      asked.set(id, ending);
      const forget = () => {
        held.delete(id);
        asked.delete(id);
      };
      ending.running ??= endSession(parts, session, ending)
        .catch(async (thrown) => {
          if (asProctorError(thrown).code === 'lease-lost') {
            forget();
            await giveUp(parts, session);
          }
          throw thrown;
        })
        .then((stored) => {
          forget();
          return stored;
        })
        .finally(() => {
          ending.running = null;
        });
      return ending.running;
    },
    done: async () => void (await Promise.allSettled([...asked.values()].map(({ running }) => running))),
  };
}

/** What was asked for first, while it is done. */
interface RunningEnding extends Ending {
  running: Promise<StoredEnd> | null;
}

/** Another process has taken the session for lost and ended it: what is here of it is nobody's. */
async function giveUp(parts: SessionHostParts, session: HeldSession): Promise<void> {
  await session.network.close();
  await clearAway(parts, session);
}

function failure(thrown: unknown): EndRequest {
  return { outcome: 'failed', fault: 'platform', reason: asProctorError(thrown).message };
}

const NO_EXTRAS = { tools: {}, env: {}, allow: [] };

async function open(
  parts: SessionHostParts,
  held: Map<string, HeldSession>,
  request: OpenRequest,
): Promise<SessionRow> {
  const { idempotencyKey, extras = NO_EXTRAS, labels = NO_LABELS } = request;
  const known = () => (idempotencyKey === null ? null : findSessionByKey(parts.database, idempotencyKey));
  const earlier = await known();
  if (earlier !== null) return sameInstance(earlier, request.instanceId);
  const loaded = await loadForSession(parts, request.instanceId);
  for (let tried = 1; ; tried++) {
    try {
      const session = await openOnce(parts, { ...loaded, idempotencyKey, extras, labels });
      if (session === null) return sameInstance((await known()) as SessionRow, request.instanceId);
      held.set(session.live.row.id, session);
      return session.live.row;
    } catch (thrown) {
      const { code, message } = asProctorError(thrown);
      if (code !== 'sandbox-failed' || tried === TRIES) throw thrown;
      parts.log.warn({ tried, reason: message }, 'a workspace could not be made; it is tried again');
    }
  }
}

function sameInstance(row: SessionRow, instanceId: string): SessionRow {
  if (row.instanceId === instanceId) return row;
  throw new ProctorError('conflict', 'this idempotency key was used for another instance', { sessionId: row.id });
}

/** Why a session cannot be acted in here. */
async function notHere(parts: SessionHostParts, id: string): Promise<ProctorError> {
  await findWorkspaceSession(parts, id);
  if ((await findSessionEnd(parts.database, id)) !== null)
    return new ProctorError('conflict', `session ${id} has ended`);
  const live = await findLive(parts.database, id);
  const place = live === null ? 'no process has it' : `a process of ${live.node} has it`;
  return new ProctorError('sandbox-failed', `session ${id} is not here: ${place}`);
}

/** Ends sessions whose sandbox or time is gone, and takes over those whose process is. */
function lookFrom(
  parts: SessionHostParts,
  held: ReadonlyMap<string, HeldSession>,
  can: { end(session: HeldSession, request: EndRequest): Promise<StoredEnd>; adopt(): Promise<void> },
): () => void {
  let adopting = false;
  const adopt = async () => {
    if (adopting) return;
    adopting = true;
    await can.adopt().catch((err) => parts.log.warn({ err }, 'sessions that were left could not be looked for'));
    adopting = false;
  };
  const look = () => {
    void adopt();
    for (const session of held.values()) {
      const { live, untilMs } = session;
      const isOver = untilMs < Date.now();
      if (!isOver && live.sandbox.isAlive()) {
        live
          .chargeIdle()
          .catch((err) => parts.log.warn({ err, session: live.row.id }, 'a session could not be charged'));
        continue;
      }
      const request: EndRequest = isOver
        ? { outcome: 'abandoned', reason: 'it was open for longer than its task allows' }
        : failure(new ProctorError('sandbox-failed', 'its sandbox is gone'));
      can
        .end(session, request)
        .catch((err) => parts.log.warn({ err, session: live.row.id }, 'a session could not be ended'));
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
