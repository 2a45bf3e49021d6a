import { onTestFinished } from 'vitest';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { scratchFolder } from './test-service.ts';
import { writeTree } from './write-tree.ts';

/** A task from its files, read as an author's folder is; the folder is gone when the test is over. */
export async function writtenTask(files: Readonly<Record<string, string | Buffer>>): Promise<Task> {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  await writeTree(scratch.path, files);
  return loadTask(scratch.path);
}
