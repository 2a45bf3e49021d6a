import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Task } from '../task/task.ts';
import { type Contamination, contaminationOf } from './contamination.ts';
import { countPasses } from './verdict-store.ts';

/** What pass rates say of a task, with the published instance that was meant. */
export interface ContaminationReport extends Contamination {
  readonly task: string;
  readonly canonical_seed: string;
}

/** Compares a task's published instance, by the seed given or by its own word, with fresh ones. `bad-request` where neither names one. */
export async function reportContamination(
  database: Queryable,
  { name, definition }: Task,
  seed: string | undefined,
): Promise<ContaminationReport> {
  const canonical = seed ?? definition.proctor.canonical_seed;
  if (canonical === undefined) {
    throw new ProctorError('bad-request', `${name} has no canonical_seed: give the seed of its published instance`);
  }
  const counts = await countPasses(database, { task: name, canonical });
  return { task: name, canonical_seed: canonical, ...contaminationOf(counts) };
}
