import type { Ending } from '../sandbox.ts';
import type { WaitStatus } from './status-stream.ts';

const SIGKILL = 9;
const SIGXCPU = 24;

/** What was seen from outside of a program that is over. */
interface Seen {
  /** The kernel has killed for lack of memory. */
  readonly outOfMemory: boolean;
  /** It has used up its CPU time. */
  readonly overCpu: boolean;
}

/** The ending by a wait status (null: none was told) and what was seen; null where neither explains it. */
export function endingOf(status: WaitStatus, seen: Seen): Ending;
export function endingOf(status: WaitStatus | null, seen: Seen): Ending | null;
export function endingOf(status: WaitStatus | null, { outOfMemory, overCpu }: Seen): Ending | null {
  const killed = status === null || ('signal' in status && status.signal === SIGKILL);
  if (killed && outOfMemory) return { kind: 'out-of-memory' };
  if (status === null) return null;
  if ('code' in status) return { kind: 'exited', code: status.code };
  return status.signal === SIGXCPU || (killed && overCpu)
    ? { kind: 'timed-out', clock: 'cpu' }
    : { kind: 'signalled', signal: status.signal };
}
