import { ProctorError } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { GradeParts } from '../stages/grade/grade-artifact.ts';
import { runGenerator } from '../stages/grade/run-generator.ts';
import { drawParameters } from '../stages/instance/generators.ts';
import type { Instance, InstanceRequest, InstanceRow, Phase } from '../stages/instance/instance.ts';
import { findInstance, findRetired, saveInstance } from '../stages/instance/instance-store.ts';
import { type InstanceDraw, makeInstance, newDrawSecret, newSeed } from '../stages/instance/make-instance.ts';
import { earlyPlan } from '../stages/instance/parameter-plan.ts';
import type { Task } from '../stages/task/task.ts';
import { findTask } from '../stages/task/task-store.ts';

type DrawParts = Pick<GradeParts, 'driver' | 'tools' | 'snapshots'>;

/** Makes an instance, with what the task's own generator gives where it has one. Rejects as `makeInstance` and the generator do. */
export async function drawInstance(parts: DrawParts, task: Task, draw: InstanceDraw = {}): Promise<Instance> {
  const gives = task.definition.proctor.generator?.gives;
  if (gives === undefined) return makeInstance(task, draw);
  const { seed = newSeed(), difficulty } = draw;
  const { values } = drawParameters(earlyPlan(task), { seed, ...(difficulty === undefined ? {} : { difficulty }) });
  const generated = await runGenerator(parts, task, { parameters: values, seed, gives });
  // a seed that is given is taken for a caller's, whose run is to be repeatable
  const drawn = draw.seed === undefined ? { drawSecret: draw.drawSecret ?? newDrawSecret(), seedDrawn: true } : {};
  return makeInstance(task, { ...draw, ...drawn, seed, generated });
}

/**
 * Makes and stores an instance for whoever asks the service: its hidden inputs are drawn from a secret that nobody outside has, whoever chose
 * the seed. `seed-retired` for a seed that is known outside, unless it is for evaluation.
 */
export async function serveInstance(
  parts: DrawParts & { readonly database: Database; readonly log: Log },
  task: Task,
  request: InstanceRequest,
): Promise<{ readonly row: InstanceRow; readonly instance: Instance }> {
  const { seed, difficulty, phase } = request;
  if (seed !== undefined) await refuseRetired(parts.database, task, { seed, phase });
  const drawn = drawInstance(parts, task, { seed, difficulty, drawSecret: newDrawSecret() });
  const instance = await drawn.catch((thrown) => {
    if (!(thrown instanceof ProctorError) || thrown.code !== 'oracle-failed') throw thrown;
    // what an author's program says may be hidden values
    parts.log.warn({ task: task.name, err: thrown }, 'the generator of a task failed');
    throw new ProctorError('oracle-failed', `the generator of ${task.name} failed; its words are in the service's log`);
  });
  return { row: await saveInstance(parts.database, instance), instance };
}

/** Refuses a stored instance whose seed was retired since; as {@link serveInstance}. */
export async function refuseRetiredInstance(
  parts: Parameters<typeof findTask>[0],
  instanceId: string,
  phase: Phase,
): Promise<void> {
  if (phase === 'eval') return;
  const { taskDigest, seed } = await findInstance(parts.database, instanceId);
  await refuseRetired(parts.database, await findTask(parts, taskDigest), { seed, phase });
}

async function refuseRetired(
  database: Queryable,
  task: Task,
  { seed, phase }: { readonly seed: string; readonly phase: Phase },
): Promise<void> {
  if (phase === 'eval') return;
  const isCanonical = task.definition.proctor.canonical_seed === seed;
  const why = isCanonical
    ? 'it is the canonical instance, which is public'
    : await findRetired(database, task.name, seed);
  if (why === null) return;
  throw new ProctorError('seed-retired', `this seed of ${task.name} is retired: ${why}`);
}
