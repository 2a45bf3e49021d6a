import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoted } from '../../platform/base/beneath.ts';
import { errnoOf } from '../../platform/base/errors.ts';
import type { Problem, TaskFile } from './task.ts';

const MAX_TASK_BYTES = 64 * 1024 * 1024;
const MAX_TASK_FILES = 5_000;

/** What of a task folder belongs to the task; solutions, submissions and notes do not. */
const TASK_ROOTS = ['task.toml', 'instruction.md', 'environment', 'tests'];

/** Reads a task folder's files in path order (only those below `roots`), and says what cannot be one of them. The author is trusted; caps are for accidents. */
export async function readTaskFiles(
  folder: string,
  roots: readonly string[] = TASK_ROOTS,
): Promise<{ files: readonly TaskFile[]; problems: readonly Problem[] }> {
  const files: TaskFile[] = [];
  const problems: Problem[] = [];
  let bytes = 0;
  const visit = async (path: string): Promise<void> => {
    const facts = await lstat(join(folder, path)).catch((thrown) => {
      if (errnoOf(thrown) !== 'ENOENT') throw thrown;
      return null;
    });
    if (facts === null || path.endsWith('/__pycache__')) return;
    if (facts.isDirectory()) {
      for (const name of (await readdir(join(folder, path))).sort()) await visit(`${path}/${name}`);
      return;
    }
    bytes += facts.size;
    const fault = faultOf({ isFile: facts.isFile(), bytes, count: files.length });
    if (fault !== null) problems.push({ severity: 'error', file: quoted(path), message: fault });
    else files.push({ path, mode: normalMode(facts.mode), bytes: await readFile(join(folder, path)) });
  };
  for (const root of roots) await visit(root);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), problems };
}

function faultOf(entry: { isFile: boolean; bytes: number; count: number }): string | null {
  if (!entry.isFile) return 'is not a regular file; a task holds files and folders only';
  if (entry.bytes > MAX_TASK_BYTES) return `the task is larger than ${MAX_TASK_BYTES / 1024 / 1024} MiB`;
  if (entry.count >= MAX_TASK_FILES) return `the task has more than ${MAX_TASK_FILES} files`;
  return null;
}

/** Only "may be run" is the author's word; the other bits are the umask of whoever cloned the task. */
function normalMode(mode: number): number {
  return (mode & 0o100) === 0 ? 0o644 : 0o755;
}
