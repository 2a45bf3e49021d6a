import { readFileSync } from 'node:fs';

/** Processors that this process may use (proc_pid_status(5)). */
const ALLOWED = parseList(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0');

/** Numbers of a list as the kernel writes it: `0-2,5`. */
export function parseList(text: string): readonly number[] {
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/**
 * Gives sandboxes processors in turn: `count` each, rounded up; null where that is all there are. One that may use one processor
 * shares it with what traces it: a tracer on another one costs twice as much, in wake-ups across processors.
 */
export function openCpuTurns(
  allowed: readonly number[] = ALLOWED,
): (count: number | undefined) => readonly number[] | null {
  let next = process.pid; // so that services do not all begin with the same one
  return (count) => {
    const wanted = Math.ceil(count ?? allowed.length);
    if (wanted >= allowed.length) return null;
    const first = next;
    next += wanted;
    return Array.from({ length: wanted }, (_, index) => allowed[(first + index) % allowed.length] as number);
  };
}
