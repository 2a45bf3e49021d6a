import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { errnoOf } from '../../base/errors.ts';

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

/** Removes a cgroup folder; one that is gone already is fine. */
export function removeCgroupFolder(path: string): void {
  try {
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

/** Pids in a `cgroup.procs` file. */
export function pidsIn(path: string): readonly number[] {
  return (readCgroupFile(path) ?? '').split('\n').filter(Boolean).map(Number);
}

/** Waits until a state file reads as wanted, looking every 2 ms for at most `timeoutMs`. */
export async function untilState(read: () => boolean, timeoutMs: number): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; ) {
    if (read()) return true;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return read();
}
