import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, ProctorError } from '../../base/errors.ts';

/** The text of a cgroup file, or null when this kernel has no such file. */
export function readCgroupFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT' || errnoOf(thrown) === 'ENODEV') return null;
    throw thrown;
  }
}

/** Writes a cgroup file; gives false where this kernel has no such file or refuses the value. */
export function writeCgroupFile(path: string, value: string | number): boolean {
  try {
    writeFileSync(path, String(value));
    return true;
  } catch {
    return false;
  }
}

/** Cgroups right below one. */
function childFolders(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

/** Removes a cgroup folder with those below it; one that is gone already is fine. */
export function removeCgroupFolder(path: string): void {
  try {
    for (const child of childFolders(path)) removeCgroupFolder(child);
    rmdirSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
  }
}

/** Removes a leftover cgroup folder where that is possible: one with processes in it stays. */
export function tryRemoveCgroupFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // there is none, or it is in use; setting the limits will tell
  }
}

/** The number after a key in a flat keyed file (`oom_kill 3`). */
export function keyedNumber(text: string | null, key: string): number {
  const match = text?.match(new RegExp(`^${key} (\\d+)$`, 'm'));
  return match?.[1] === undefined ? 0 : Number(match[1]);
}

/** Pids right in a cgroup. */
export function ownPidsIn(folder: string): readonly number[] {
  return (readCgroupFile(join(folder, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number);
}

/** Pids in a cgroup and those below it. */
export function pidsIn(folder: string): readonly number[] {
  return [...ownPidsIn(folder), ...childFolders(folder).flatMap(pidsIn)];
}

/** The number in a file that holds nothing else; null when this kernel has no such file. */
export function plainNumber(path: string): number | null {
  const text = readCgroupFile(path);
  return text === null ? null : Number(text.trim());
}

/** How long a cgroup may take to be empty once all in it are killed. */
const END_MS = 5_000;

/** Kills again and again, for what forks meanwhile, until `pids` finds none. `sandbox-failed` when it does not end. */
export async function endUntilEmpty(pids: () => readonly number[], kill: () => void): Promise<void> {
  kill();
  const isEmpty = await untilState(() => {
    if (pids().length === 0) return true;
    kill();
    return false;
  }, END_MS);
  if (!isEmpty) throw new ProctorError('sandbox-failed', 'the processes of a killed cgroup do not end');
}

/** Waits until a state file reads as wanted, looking every 2 ms for at most `timeoutMs`. */
export async function untilState(read: () => boolean, timeoutMs: number): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; ) {
    if (read()) return true;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return read();
}
