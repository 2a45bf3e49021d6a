import { z } from 'zod';
import { messageOf } from '../platform/base/errors.ts';
import type { LivePlace, LiveSandbox } from '../platform/sandbox/live-sandbox.ts';
import { type LiveSession, openLiveSession } from '../stages/session/live-session.ts';
import { needsGateway, openNetwork, prepareNetwork } from '../stages/session/network.ts';
import { lifeMsOf } from '../stages/session/session.ts';
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
import { isWorkerAlive } from './worker-store.ts';

/** A place as we stored it ourselves. */
const placeSchema = z.custom<LivePlace>((value) => typeof value === 'object' && value !== null && 'first' in value);

/**
 * Takes over the sessions that an earlier process of this machine has left, and gives each to `take` as soon as it is held; those whose
 * sandbox is gone end as the platform's fault. One that cannot be taken over is told and left: it must not keep the others waiting.
 */
export async function adoptSessions(parts: SessionHostParts, take: (session: HeldSession) => void): Promise<void> {
  for (const row of await listLive(parts.database, parts.node)) {
    if (row.workerId === parts.workerId) continue;
    await adopt(parts, row, take).catch((err) => {
      parts.log.error({ err, session: row.sessionId }, 'a session could not be looked at; it is tried again');
    });
  }
}

/** How long a process of another machine is silent before its sessions are given up: it is not coming back to them. */
const SILENT_SECONDS = 150;

/** Ends the sessions of machines that are gone, as the platform's fault: whoever worked there may begin again elsewhere. */
export async function endOrphans(parts: SessionHostParts): Promise<void> {
  for (const left of await listOrphaned(parts.database, parts.node, SILENT_SECONDS)) {
    await taking(parts, left, () => endGone(parts, left, `its machine ${left.node} is gone`));
  }
}

async function endGone(parts: SessionHostParts, { sessionId, state }: LiveRow, reason: string): Promise<void> {
  const { body } = await endLost(parts, { sessionId, steps: state.used.steps }, reason);
  parts.log.warn({ session: sessionId, outcome: body.outcome, reason }, 'a session was lost');
}

/** Does something with a session that is taken over, if this process is the first to; what fails is told, and the session given back. */
async function taking(parts: SessionHostParts, left: LiveRow, work: () => Promise<void>): Promise<void> {
  const { database, workerId, node, log } = parts;
  const ours = { ...left, workerId, node };
  let isOurs = false;
  try {
    isOurs = await takeLive(database, ours, left.workerId);
    if (isOurs) await work();
  } catch (err) {
    log.error({ err, session: left.sessionId }, 'a session could not be taken over; it is tried again');
    if (isOurs) await takeLive(database, left, workerId).catch(() => undefined);
  }
}

async function adopt(parts: SessionHostParts, left: LiveRow, take: (session: HeldSession) => void): Promise<void> {
  const sandbox = await parts.driver.adopt(placeSchema.parse(left.place));
  if (sandbox === 'held') return; // its process lives
  // a process of another container with this machine's name is not seen from here
  if (sandbox === null && (await isWorkerAlive(parts.database, left.workerId))) return;
  let isTaken = false;
  await taking(parts, left, async () => {
    if (sandbox === null) return endGone(parts, left, 'its sandbox was lost with its process');
    take(await goOn(parts, left, sandbox));
    isTaken = true;
  });
  if (!isTaken) sandbox?.leave();
}

async function goOn(parts: SessionHostParts, left: LiveRow, sandbox: LiveSandbox): Promise<HeldSession> {
  const row = await findSession(parts.database, left.sessionId);
  const end = await findLogEnd(parts.database, row.id);
  const rules = await parts.houseRules(row.instanceId);
  const live = openLiveSession(parts, { row, sandbox, state: left.state, end, rules });
  const { network, blocked } = await networkAgain(parts, live, row.body.allow);
  const place = { at: new Date(), step: null, messageId: null };
  const note = 'a step that was being made meanwhile is void; what ran goes on';
  const refused = { ...place, type: 'egress.blocked', outcome: 'refused', detail: { reason: blocked } };
  try {
    await live.log.append([
      { ...place, type: 'session.adopted', outcome: 'ok', detail: { by: parts.workerId, note } },
      ...(blocked === null ? [] : [refused]),
    ]);
  } catch (thrown) {
    await network.close();
    throw thrown;
  }
  return { live, network, untilMs: row.createdAt.getTime() + lifeMsOf(row.body.budgets) };
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
