import { retireSeed } from '../stages/instance/instance-store.ts';
import type { Task } from '../stages/task/task.ts';
import { saveTask } from '../stages/task/task-store.ts';
import type { Service } from './open-service.ts';

/** Of all versions of a task, also those that do not say so. */
const CANONICAL = 'it is the canonical instance, which is public';

/** Stores a task for whoever asks for instances of it; its published instance is served for evaluation only. */
export async function registerTask(parts: Service['parts'], task: Task): Promise<void> {
  await saveTask(parts, task);
  const { canonical_seed: seed } = task.definition.proctor;
  if (seed !== undefined) await retireSeed(parts.database, { task: task.name, seed, reason: CANONICAL });
}
