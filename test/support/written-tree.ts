import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task } from '../../src/stages/task/task.ts';
import { scratchFolder } from './test-service.ts';

/** Writes files beneath a folder; those that end in `.sh` may be run. */
export async function writeTree(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    await chmod(join(folder, path), path.endsWith('.sh') ? 0o700 : 0o600);
  }
}

/** A task from its files, read as an author's folder is; the folder is gone when the test is over. */
export async function writtenTask(files: Readonly<Record<string, string | Buffer>>): Promise<Task> {
  const scratch = await scratchFolder();
  onTestFinished(scratch.dispose);
  await writeTree(scratch.path, files);
  return loadTask(scratch.path);
}
