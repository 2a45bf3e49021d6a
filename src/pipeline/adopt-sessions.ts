import { z } from 'zod';
import type { LivePlace } from '../platform/sandbox/live-sandbox.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { openLiveSession } from '../stages/session/live-session.ts';
import { needsGateway, openNetwork, prepareNetwork } from '../stages/session/network.ts';
import { lifeMsOf } from '../stages/session/session.ts';
import { openLog } from '../stages/session/session-log.ts';
import { findLogEnd, findSession, type LiveRow, listLive, saveLive } from '../stages/session/session-store.ts';
import { findTask } from '../stages/task/task-store.ts';
import { endLost } from './end-session.ts';
import { heldAttempts } from './held-attempts.ts';
import type { HeldSession, SessionHostParts } from './held-session.ts';

/** A place as we stored it ourselves. */
const placeSchema = z.custom<LivePlace>((value) => typeof value === 'object' && value !== null && 'first' in value);

/** Takes over the sessions that an earlier process of this machine has left; those whose sandbox is gone end as the platform's fault. */
export async function adoptSessions(parts: SessionHostParts): Promise<readonly HeldSession[]> {
  const adopted: HeldSession[] = [];
  for (const row of await listLive(parts.database, parts.node)) {
    if (row.workerId === parts.workerId) continue;
    const session = await adopt(parts, row);
    if (session !== null) adopted.push(session);
  }
  return adopted;
}

async function adopt(parts: SessionHostParts, left: LiveRow): Promise<HeldSession | null> {
  const row = await findSession(parts.database, left.sessionId);
  const sandbox = await parts.driver.adopt(placeSchema.parse(left.place));
  if (sandbox === 'held') return null; // its process lives
  const end = await findLogEnd(parts.database, row.id);
  if (sandbox === null) {
    const { append } = openLog(parts, row.id, end);
    await endLost(
      parts,
      { sessionId: row.id, steps: left.state.used.steps, append },
      'its sandbox was lost with its process',
    );
    parts.log.warn({ session: row.id }, 'a session was lost with its sandbox');
    return null;
  }
  const task = await findTask(parts, (await findInstance(parts.database, row.instanceId)).taskDigest);
  const { workerId, node } = parts;
  await saveLive(parts.database, { ...left, workerId, node, place: sandbox.place });
  const live = openLiveSession(parts, { row, sandbox, state: left.state, end });
  const pending = heldAttempts();
  pending.give(live);
  const { allow } = row.body;
  const { pid } = sandbox.place.first;
  const prepared = await prepareNetwork({ pid, hasGateway: needsGateway(allow), isWatched: true });
  const network = openNetwork(prepared, {
    ...{ allow, onAttempt: pending.take, step: pending.step, options: parts.network },
  });
  const detail = { by: workerId, note: 'a step that was being made meanwhile is void; what ran goes on' };
  await live.log.append([
    { type: 'session.adopted', at: new Date(), step: null, messageId: null, outcome: 'ok', detail },
  ]);
  return { live, network, task, untilMs: row.createdAt.getTime() + lifeMsOf(row.body.budgets) };
}
