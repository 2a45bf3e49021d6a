import { ProctorError } from '../platform/base/errors.ts';
import type { LivePlace } from '../platform/sandbox/live-sandbox.ts';
import { fillTask } from '../stages/instance/fill-task.ts';
import type { Instance } from '../stages/instance/instance.ts';
import { findInstance, findLockedSnapshot, lockSnapshot } from '../stages/instance/instance-store.ts';
import { remakeInstance } from '../stages/instance/make-instance.ts';
import type { RunLabels } from '../stages/run/run.ts';
import { EMPTY_LOG, type NewEvent } from '../stages/session/event.ts';
import { openLiveSession } from '../stages/session/live-session.ts';
import { needsGateway, openNetwork } from '../stages/session/network.ts';
import {
  budgetsOf,
  FIRST_STATE,
  lifeMsOf,
  type SessionRow,
  type SessionState,
  WORK_FOLDER,
} from '../stages/session/session.ts';
import { appendEvents, findSession, saveLive, saveSession } from '../stages/session/session-store.ts';
import type { Task } from '../stages/task/task.ts';
import { findTask } from '../stages/task/task-store.ts';
import { heldAttempts } from './held-attempts.ts';
import type { HeldSession, SessionExtras, SessionHostParts } from './held-session.ts';

/** What stays the same while a workspace is made, also when it takes several tries. */
interface Opening {
  readonly task: Task;
  readonly instance: Instance;
  readonly instanceId: string;
  readonly idempotencyKey: string | null;
  readonly labels: RunLabels;
  readonly extras: SessionExtras;
}

/** What every shell of a workspace begins with. */
const FIRST_ENVIRONMENT = { PATH: '/usr/bin:/bin', HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', SHELL: '/bin/bash' };

/** Loads what a session is opened for; the instance is drawn again and compared with what was stored. */
export async function loadForSession(
  parts: SessionHostParts,
  instanceId: string,
): Promise<Omit<Opening, 'idempotencyKey' | 'extras' | 'labels'>> {
  const row = await findInstance(parts.database, instanceId);
  const task = await findTask(parts, row.taskDigest);
  const instance = remakeInstance(task, row);
  const locked = await findLockedSnapshot(parts.database, instanceId);
  return { task: onSnapshot(fillTask(task, instance.parameters), locked), instance, instanceId };
}

/** The task on the snapshot that its instance began with, whatever its name stands for by now. */
function onSnapshot(task: Task, snapshot: string | null): Task {
  if (snapshot === null) return task;
  const { definition } = task;
  return { ...task, definition: { ...definition, proctor: { ...definition.proctor, snapshot } } };
}

/**
 * Makes a workspace and opens a session on it, once. Null when another request has opened one under the same idempotency key
 * meanwhile. Nothing is left when it rejects.
 */
export async function openOnce(parts: SessionHostParts, opening: Opening): Promise<HeldSession | null> {
  const { task, instance, extras } = opening;
  const { definition } = task;
  const allow = [...definition.proctor.egress.allow, ...extras.allow];
  const plan = { definition, tools: extras.tools, hasGateway: needsGateway(allow) };
  const rules = await parts.houseRules(opening.instanceId);
  const workspace = await parts.workspaces.take(plan);
  const { sandbox, snapshot } = workspace;
  try {
    sandbox.extend(lifeMsOf(budgetsOf(definition))); // it may have waited
    for (const { path, bytes, mode } of instance.files) await sandbox.writeFile(path, bytes, mode);
    const attempts = heldAttempts();
    const network = openNetwork(workspace.network, {
      ...{ allow, onAttempt: attempts.take, step: attempts.step, options: parts.network },
    });
    const { backend, version } = parts.recorder;
    const body = {
      driver: parts.driver.name,
      snapshot: { name: snapshot.name, digest: snapshot.digest, pinned: snapshot.pinned },
      recorder: { backend, version },
      budgets: budgetsOf(definition),
      allow,
    };
    const { instanceId, idempotencyKey, labels } = opening;
    const shell = {
      cwd: WORK_FOLDER,
      env: { ...FIRST_ENVIRONMENT, ...instance.environment, ...network.env, ...extras.env },
    };
    const state: SessionState = { ...FIRST_STATE, shell };
    const opened = { instanceId, origin: 'workspace', body, idempotencyKey, labels } as const;
    const stored = await storeOpened(parts, opened, { place: sandbox.place, state });
    if (stored === null) throw new AlreadyOpen();
    const live = openLiveSession(parts, { ...stored, sandbox, state, rules });
    attempts.give(live);
    return { live, network, untilMs: Date.now() + lifeMsOf(body.budgets) };
  } catch (thrown) {
    await workspace.destroy();
    if (thrown instanceof AlreadyOpen) return null;
    throw thrown;
  }
}

/** All of it or nothing: a session without a place would be nobody's. Null when its key has another one. */
function storeOpened(
  { database, workerId, node }: SessionHostParts,
  opened: Parameters<typeof saveSession>[1],
  live: { readonly place: LivePlace; readonly state: SessionState },
) {
  return database.transaction(async (transaction) => {
    const saved = await saveSession(transaction, opened);
    if (saved === null) return null;
    const { snapshot } = opened.body;
    if (snapshot?.pinned) await lockSnapshot(transaction, opened.instanceId, snapshot.digest);
    await saveLive(transaction, { sessionId: saved.id, workerId, node, ...live });
    const log = { sessionId: saved.id, end: EMPTY_LOG };
    return { row: saved, end: await appendEvents(transaction, log, openedEvents(saved)) };
  });
}

class AlreadyOpen extends Error {}

function openedEvents({ instanceId, body }: SessionRow): readonly NewEvent[] {
  const place = { at: new Date(), step: null, messageId: null, outcome: 'ok' };
  return [
    { ...place, type: 'session.opened', detail: { instance: instanceId, ...body } },
    {
      ...place,
      type: 'network.verified',
      detail: { reaches: 'nothing but its own loopback', allowed_through_gateway: body.allow },
    },
  ];
}

/** The session of an id, which must be a workspace's. */
export async function findWorkspaceSession(parts: SessionHostParts, id: string): Promise<SessionRow> {
  const row = await findSession(parts.database, id);
  if (row.origin === 'workspace') return row;
  throw new ProctorError('conflict', `session ${id} was brought by a harness: there is nothing to act in`);
}
