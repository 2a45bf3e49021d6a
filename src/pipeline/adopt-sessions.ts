import { z } from 'zod';
import { messageOf } from '../platform/base/errors.ts';
import type { LivePlace } from '../platform/sandbox/live-sandbox.ts';
import { type LiveSession, openLiveSession } from '../stages/session/live-session.ts';
import { needsGateway, openNetwork, prepareNetwork } from '../stages/session/network.ts';
import { lifeMsOf } from '../stages/session/session.ts';
import { openLog } from '../stages/session/session-log.ts';
import {
  findLogEnd,
  findSession,
  type LiveRow,
  listLive,
  listOrphaned,
  takeLive,
} from '../stages/session/session-store.ts';
import { endLost } from './end-session.ts';
import { heldAttempts } from './held-attempts.ts';
import type { HeldSession, SessionHostParts } from './held-session.ts';

/** A place as we stored it ourselves. */
const placeSchema = z.custom<LivePlace>((value) => typeof value === 'object' && value !== null && 'first' in value);

/**
 * Takes over the sessions that an earlier process of this machine has left, and gives each to `take` as soon as it is held; those whose
 * sandbox is gone end as the platform's fault. One that cannot be taken over is told and left: it must not keep the others waiting.
 */
export async function adoptSessions(parts: SessionHostParts, take: (session: HeldSession) => void): Promise<void> {
  for (const row of await listLive(parts.database, parts.node)) {
    if (row.workerId === parts.workerId) continue;
    try {
      await adopt(parts, row, take);
    } catch (err) {
      parts.log.error({ err, session: row.sessionId }, 'a session could not be taken over; it is tried again');
    }
  }
}

/** How long a process of another machine is silent before its sessions are given up: it is not coming back to them. */
const SILENT_SECONDS = 150;

/** Ends the sessions of machines that are gone, as the platform's fault: whoever worked there may begin again elsewhere. */
export async function endOrphans(parts: SessionHostParts): Promise<void> {
  for (const left of await listOrphaned(parts.database, parts.node, SILENT_SECONDS)) {
    const { workerId, node } = parts;
    if (!(await takeLive(parts.database, { ...left, workerId, node }, left.workerId))) continue; // another process was first
    const { append } = openLog(parts, left.sessionId, await findLogEnd(parts.database, left.sessionId));
    const lost = { sessionId: left.sessionId, steps: left.state.used.steps, append };
    await endLost(parts, lost, `its machine ${left.node} is gone`);
    parts.log.warn({ session: left.sessionId, node: left.node }, 'a session was lost with its machine');
  }
}

async function adopt(parts: SessionHostParts, left: LiveRow, take: (session: HeldSession) => void): Promise<void> {
  const row = await findSession(parts.database, left.sessionId);
  const sandbox = await parts.driver.adopt(placeSchema.parse(left.place));
  if (sandbox === 'held') return; // its process lives
  const { workerId, node } = parts;
  const isOurs = await takeLive(parts.database, { ...left, workerId, node }, left.workerId);
  if (!isOurs) {
    if (sandbox !== null) sandbox.leave();
    return; // another process was first
  }
  const end = await findLogEnd(parts.database, row.id);
  if (sandbox === null) {
    const { append } = openLog(parts, row.id, end);
    const lost = { sessionId: row.id, steps: left.state.used.steps, append };
    await endLost(parts, lost, 'its sandbox was lost with its process');
    parts.log.warn({ session: row.id }, 'a session was lost with its sandbox');
    return;
  }
  const live = openLiveSession(parts, { row, sandbox, state: left.state, end });
  const { network, blocked } = await networkAgain(parts, live, row.body.allow);
  take({ live, network, untilMs: row.createdAt.getTime() + lifeMsOf(row.body.budgets) });
  const place = { at: new Date(), step: null, messageId: null };
  const note = 'a step that was being made meanwhile is void; what ran goes on';
  await live.log.append([
    { ...place, type: 'session.adopted', outcome: 'ok', detail: { by: workerId, note } },
    ...(blocked === null
      ? []
      : [{ ...place, type: 'egress.blocked', outcome: 'refused', detail: { reason: blocked } }]),
  ]);
}

/** A gateway again, unless something inside has its place by now: then there is none, and the log says so. */
async function networkAgain(parts: SessionHostParts, live: LiveSession, allow: readonly string[]) {
  const attempts = heldAttempts();
  attempts.give(live);
  const { pid } = live.sandbox.place.first;
  const prepare = (hasGateway: boolean) => prepareNetwork({ pid, hasGateway, isWatched: true });
  let blocked: string | null = null;
  const prepared = await prepare(needsGateway(allow)).catch((thrown) => {
    blocked = messageOf(thrown);
    return prepare(false);
  });
  const plan = { allow, onAttempt: attempts.take, step: attempts.step, options: parts.network };
  return { network: openNetwork(prepared, plan), blocked };
}
