import { availableParallelism } from 'node:os';
import type { Cgroup } from '../cgroup/cgroup.ts';
import type { Command, Ending, SandboxLimits } from '../sandbox.ts';

/** How soon the CPU clock of a sandbox is read again at least; a command may overrun its CPU limit by this much times its threads. */
const CPU_POLL_MS = 50;
const CORES = availableParallelism();

interface Watched {
  readonly limits: SandboxLimits;
  readonly command: Command;
  readonly cgroup: Cgroup | null;
  readonly cpuBefore: number | null;
  readonly end: (reason: Ending) => void;
}

/** Ends a command when its wall or CPU time is over; gives the function that stops watching. */
export function watchLimits({ limits, command, cgroup, cpuBefore, end }: Watched): () => void {
  const wallMs = Math.min(command.wallMs ?? limits.wallMs, limits.wallMs);
  let watching = true;
  // the end of a program that came in time may wait behind this timer, when this process was busy
  const wall = setTimeout(() => {
    setImmediate(() => watching && end({ kind: 'timed-out', clock: 'wall' }));
  }, wallMs);
  let cpu: NodeJS.Timeout | null = null;
  /** Not before all cores together could have used up what is left. */
  const look = (leftMs: number) => {
    cpu = setTimeout(
      () => {
        if (cgroup === null || cpuBefore === null) return;
        const usedMs = cpuUsed(cgroup) - cpuBefore;
        if (usedMs > limits.cpuMs) end({ kind: 'timed-out', clock: 'cpu' });
        else look(limits.cpuMs - usedMs);
      },
      Math.max(CPU_POLL_MS, leftMs / CORES),
    );
  };
  if (cgroup !== null && cpuBefore !== null) look(limits.cpuMs);
  return () => {
    watching = false;
    clearTimeout(wall);
    if (cpu !== null) clearTimeout(cpu);
  };
}

/** A clock that cannot be read just now is looked at again a little later; the wall clock goes on. */
function cpuUsed(cgroup: Cgroup): number {
  try {
    return cgroup.cpuMs();
  } catch {
    return 0;
  }
}
