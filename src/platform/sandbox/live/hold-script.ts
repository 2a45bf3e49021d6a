import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ProctorError } from '../../base/errors.ts';
import { processMark } from '../commands/process-mark.ts';
import { SYSCALLS } from '../commands/program.ts';

/** What it calls itself once it holds. */
const HELD = 'proctor-held';
const READY_MS = 10_000;

/**
 * The first process of a live sandbox, in Perl: it makes itself non-dumpable (the agent has its uid and could else take it over by
 * /proc/1/mem), reaps what is orphaned, and does nothing else. No signal from inside its pid namespace reaches it.
 */
const SCRIPT = `
syscall($ARGV[0] + 0, 4, 0, 0, 0, 0) == 0 or exit 125;
$SIG{CHLD} = 'IGNORE';
$0 = '${HELD}';
sleep 1_000_000 while 1;
`;

/** The command line of a first process that only holds its namespaces. */
export function holdArguments(): readonly string[] {
  return ['/usr/bin/perl', '-e', SCRIPT, '--', String(SYSCALLS.prctl)];
}

/**
 * Resolves when a first process holds: until then its namespaces are being made, and whoever entered would be in an unfinished
 * sandbox. `sandbox-failed` when it ends before, or takes too long.
 */
export async function untilHeld({ pid, mark }: { readonly pid: number; readonly mark: string | null }): Promise<void> {
  for (const end = performance.now() + READY_MS; performance.now() < end; await pause(1)) {
    if (mark === null || processMark(pid) !== mark) break;
    if (nameOf(pid) === HELD) return;
  }
  throw new ProctorError('sandbox-failed', 'the first process of a sandbox does not hold it');
}

function nameOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'latin1').trim();
  } catch {
    return null; // it is gone
  }
}
