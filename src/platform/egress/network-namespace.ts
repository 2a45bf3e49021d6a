import { closeSync, openSync, readlinkSync } from 'node:fs';
import { messageOf, ProctorError } from '../base/errors.ts';

/** A network namespace that stays the same one, whatever becomes of the process that it was found by. */
export interface NetworkNamespace {
  /** A descriptor of this process; a child that inherits it can enter by it. */
  readonly descriptor: number;
  close(): void;
}

/**
 * Opens the network namespace of a process.
 *
 * @throws ProctorError `sandbox-failed` when the process is gone, or when it is in this process's own namespace:
 *   a listener there would serve the whole host, and a packet filter would cut it off
 */
export function openNetworkNamespace(pid: number): NetworkNamespace {
  let descriptor: number;
  try {
    descriptor = openSync(`/proc/${Math.trunc(pid)}/ns/net`, 'r');
  } catch (error) {
    const why = `the network namespace of process ${pid} cannot be opened: ${messageOf(error)}`;
    throw new ProctorError('sandbox-failed', why, { pid }, { cause: error });
  }
  const close = () => closeSync(descriptor);
  if (readlinkSync(`/proc/self/fd/${descriptor}`) === readlinkSync('/proc/self/ns/net')) {
    close();
    throw new ProctorError('sandbox-failed', `process ${pid} has no network namespace of its own`, { pid });
  }
  return { descriptor, close };
}
