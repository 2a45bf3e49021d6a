import { ProctorError } from '../../platform/base/errors.ts';
import { findInstance } from '../../stages/instance/instance-store.ts';
import { remakeInstance } from '../../stages/instance/make-instance.ts';
import { checkAction } from '../../stages/session/environments.ts';
import { findTask, findTaskDigest } from '../../stages/task/task-store.ts';
import { answerItem } from '../answer-item.ts';
import type { ApiSessions } from '../api-parts.ts';
import { labelsOf } from '../run-labels.ts';
import type { CompatParts } from './compat-parts.ts';
import { instanceOf } from './item-of.ts';
import { observed, type Reply, stepOf } from './openenv-message.ts';
import { PATIENCE } from './patience.ts';
import { type Target, targetOf } from './target.ts';

/** What one connection does: one session after the other, at most one at a time. */
export interface Episode {
  reset(data: unknown): Promise<Reply>;
  step(data: unknown): Promise<Reply>;
  state(): Reply;
  /** Gives up a session that has not ended. */
  leave(): Promise<void>;
}

interface Open {
  readonly sessionId: string;
  readonly instanceId: string;
  readonly target: Target;
  readonly episodeId: string;
  steps: number;
  hasEnded: boolean;
}

/** An episode of nobody yet. `keyId` is the caller’s. */
export function createEpisode(compat: CompatParts, keyId: string | undefined): Episode {
  const { parts } = compat;
  let current: Open | null = null;

  const leave = async () => {
    const left = current;
    current = null;
    if (left !== null && !left.hasEnded) await here(parts.sessions).abandon(left.sessionId);
  };

  return {
    leave,
    async reset(data) {
      await leave();
      const { open, told } = await begin(compat, data);
      current = open;
      return observed(told, { reward: null, done: false });
    },
    async step(data) {
      const open = current;
      if (open === null) throw new ProctorError('conflict', 'no session is open: reset first');
      const request = stepOf(data);
      if (request === 'finish') return finish(compat, keyId, { open, seen: {} });
      const { action, ...more } = request;
      const seen = await here(parts.sessions).act(open.sessionId, { action: checkAction(action), ...more });
      open.steps += 1;
      // a loop that goes on until it is done must end where no more actions are made
      if (seen.feedback.budget_reached !== null) return finish(compat, keyId, { open, seen });
      return observed(seen, { reward: null, done: false });
    },
    state() {
      const { episodeId = null, steps = 0, sessionId = null, instanceId = null, hasEnded = false } = current ?? {};
      const data = { episode_id: episodeId, step_count: steps, session_id: sessionId, instance_id: instanceId };
      return { type: 'state', data: { ...data, done: hasEnded } };
    },
  };
}

/** Opens a session, and says what its agent is told first. */
async function begin(compat: CompatParts, data: unknown) {
  const { database } = compat.parts;
  const target = targetOf(data);
  const instanceId = await instanceFor(compat, target);
  const { phase, ...fields } = target;
  const row = await findInstance(database, instanceId);
  const { instruction } = remakeInstance(await findTask(compat.parts, row.taskDigest), row);
  const labels = labelsOf(fields, phase);
  const session = await here(compat.parts.sessions).open({ instanceId, idempotencyKey: null, labels });
  const { episode_id: own } = data as { episode_id?: unknown };
  const episodeId = typeof own === 'string' ? own.slice(0, 255) : session.id;
  const { steps, activeMs: active_ms } = session.body.budgets;
  const open: Open = { sessionId: session.id, instanceId, target, episodeId, steps: 0, hasEnded: false };
  return {
    open,
    told: { instruction, session_id: session.id, instance_id: instanceId, budgets: { steps, active_ms } },
  };
}

/** Ends a session and gives what it earned; again, when that was not graded in time. */
async function finish(
  { parts }: CompatParts,
  keyId: string | undefined,
  { open, seen }: { readonly open: Open; readonly seen: Readonly<Record<string, unknown>> },
): Promise<Reply> {
  const { artifactId, body } = await here(parts.sessions).finish(open.sessionId);
  open.hasEnded = true;
  if (artifactId === null) {
    const { outcome, fault, reason } = body;
    return observed({ ...seen, session: { outcome, fault, reason } }, { reward: null, done: true });
  }
  const startedMs = performance.now();
  const { phase, ...fields } = open.target;
  const batch = {
    ...{ requestId: undefined, keyId, startedMs, deadlineMs: startedMs + PATIENCE.openenv.answerMs },
    labels: labelsOf(fields, phase),
  };
  const { groupId: _group, ...item } = await answerItem(parts, { id: artifactId, submission_id: artifactId }, batch);
  return observed({ ...seen, reward: item }, { reward: item.mask_sample ? null : item.reward, done: true });
}

/** A seed stands for one instance; without one each episode has its own. */
async function instanceFor({ parts, drawn }: CompatParts, target: Target): Promise<string> {
  const { task, seed, difficulty, phase, instance_id: known } = target;
  if (task === undefined && known === undefined) {
    throw new ProctorError('bad-request', 'an episode needs a task or an instance_id');
  }
  if (task === undefined || seed !== undefined) return instanceOf(parts, drawn, target);
  const found = await findTask(parts, await findTaskDigest(parts.database, task));
  return (await parts.instances.serve(found, { difficulty, phase })).row.id;
}

function here(sessions: ApiSessions | null): ApiSessions {
  if (sessions !== null) return sessions;
  throw new ProctorError('capability-missing', 'this process has no workspaces: connect to one that grades');
}
