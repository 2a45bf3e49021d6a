import type { Queryable } from '../platform/db/database.ts';
import type { Job } from '../platform/queue/queue.ts';
import { findDueSteps } from './work-store.ts';

const SWEEP_LIMIT = 1_000;

/** Finds in the database what is due and enqueues it; gives how many. The queue may have lost everything. */
export async function sweep(database: Queryable, enqueue: (job: Job) => Promise<void>): Promise<number> {
  const due = await findDueSteps(database, SWEEP_LIMIT);
  for (const job of due) await enqueue(job);
  return due.length;
}
