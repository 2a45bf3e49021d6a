import { readFileSync } from 'node:fs';
import { errnoOf } from '../../base/errors.ts';

/** A process as others can check it, `PID:STARTTIME` (proc_pid_stat(5)): the pid alone may be somebody else's by then. Null when it is gone or only a zombie. */
export function processMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${pid}:${fields[19]}`;
  } catch {
    return null;
  }
}

/** Ends a process, unless its pid is somebody else's by now; whether it was there. */
export function endProcess({ pid, mark }: { readonly pid: number; readonly mark: string | null }): boolean {
  if (mark === null || processMark(pid) !== mark) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // it has ended by itself
  }
}

/** Kills a process by its pid alone, which somebody holds against being used again; one that is gone is fine. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ESRCH') throw thrown;
  }
}
