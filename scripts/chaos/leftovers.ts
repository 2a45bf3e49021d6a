import { readdirSync, readFileSync } from 'node:fs';

/** What services leave on this machine while they run, by kind; each thing by its name. */
export type Held = Readonly<Record<'slots' | 'cgroups' | 'mounts' | 'processes', readonly string[]>>;

/** What there is just now. */
export function heldNow(): Held {
  return {
    slots: namesIn('/run/proctor/slots'),
    cgroups: namesIn('/sys/fs/cgroup/pids/proctor').filter((name) => name.startsWith('slot-')),
    mounts: readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('proctor ')),
    processes: namesIn('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes('/forkserver/')),
  };
}

/** What is there now and was not there before, by kind. */
export function leftOver(before: Held, after: Held): Readonly<Record<keyof Held, number>> {
  const more = (kind: keyof Held) => after[kind].filter((name) => !before[kind].includes(name)).length;
  return { slots: more('slots'), cgroups: more('cgroups'), mounts: more('mounts'), processes: more('processes') };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
