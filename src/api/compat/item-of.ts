import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { fillTask } from '../../stages/instance/fill-task.ts';
import { findInstance } from '../../stages/instance/instance-store.ts';
import { findSession, findSessionEnd } from '../../stages/session/session-store.ts';
import { findTask, findTaskDigest } from '../../stages/task/task-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { codeOf } from '../code-of.ts';
import { type BoundedMap, createBoundedMap } from './bounded-map.ts';
import type { Target } from './target.ts';

const MOST_INSTANCES = 10_000;

/** What a sample asks for, in the words of `POST /v1/rewards`. */
export interface CompatItem {
  readonly id: string;
  readonly group_id?: string;
  readonly submission_id?: string;
  readonly instance_id?: string;
  readonly artifact?: { readonly files: readonly { readonly path: string; readonly content: string }[] };
}

/** Instances that labels with `task` and `seed` stand for: one for each, as long as this process remembers. */
export type DrawnInstances = BoundedMap<Promise<string>>;

/** Remembers no instance yet. */
export function rememberInstances(): DrawnInstances {
  return createBoundedMap(MOST_INSTANCES);
}

/** The instance that a target with `instance_id` or `task` names; one that was made for the same task, seed and level is taken again. */
export async function instanceOf(
  parts: ApiParts,
  drawn: DrawnInstances,
  { instance_id: known, task = '', seed, difficulty, phase }: Target,
): Promise<string> {
  if (known !== undefined) {
    await parts.instances.refuseRetired(known, phase);
    return known;
  }
  const digest = await findTaskDigest(parts.database, task);
  const key = JSON.stringify([digest, seed ?? null, difficulty ?? null, phase]);
  const earlier = drawn.get(key);
  if (earlier !== undefined) return earlier;
  const draw = async () => {
    const { row } = await parts.instances.serve(await findTask(parts, digest), { seed, difficulty, phase });
    return row.id;
  };
  const made = draw();
  drawn.set(key, made);
  made.catch(() => drawn.delete(key));
  return made;
}

/**
 * The item that a target and a response make. The response becomes the file `file`, or the task’s only declared one; with an artifact that is
 * there already it is not looked at. `bad-request`, `not-found`, `conflict` say why there is none.
 */
export async function itemOf(
  parts: ApiParts,
  drawn: DrawnInstances,
  { target, response }: { readonly target: Target; readonly response: string | null },
): Promise<CompatItem> {
  const { group_id, submission_id, session_id } = target;
  const group = group_id === undefined ? {} : { group_id };
  if (submission_id !== undefined) return { id: submission_id, submission_id, ...group };
  if (session_id !== undefined) {
    return { id: session_id, submission_id: await artifactOfSession(parts, session_id), ...group };
  }
  if (response === null) throw new ProctorError('bad-request', 'an instance or task needs a response to grade');
  const instance_id = await instanceOf(parts, drawn, target);
  const path = target.file ?? (await onlyFile(parts, instance_id));
  const files = [{ path, content: codeOf(response) }];
  // the same words for the same instance are the same work, however often a client sends them
  const id = digestOfJson([instance_id, files, target.run_id ?? null, group_id ?? null]);
  return { id, instance_id, artifact: { files }, ...group };
}

async function artifactOfSession({ database }: ApiParts, sessionId: string): Promise<string> {
  const { id } = await findSession(database, sessionId);
  const end = await findSessionEnd(database, id);
  if (end === null) throw new ProctorError('conflict', `the session ${id} has not ended: finish it first`);
  if (end.artifactId !== null) return end.artifactId;
  if (end.body.fault === 'platform') {
    throw new ProctorError('sandbox-failed', `the session ${id} failed and handed nothing in`);
  }
  throw new ProctorError('conflict', `the session ${id} ended as ${end.body.outcome} and handed nothing in`);
}

async function onlyFile(parts: ApiParts, instanceId: string): Promise<string> {
  const { taskDigest, parameters } = await findInstance(parts.database, instanceId);
  const { definition, name } = fillTask(await findTask(parts, taskDigest), parameters);
  const [path, ...others] = definition.proctor.artifact.include;
  if (path !== undefined && others.length === 0 && !/[*?[\]{}()!+@]/.test(path)) return path;
  throw new ProctorError(
    'bad-request',
    `${name} takes more than one file: say in the label which one the response is, as "file"`,
  );
}
