import { SYSCALLS } from '../commands/program.ts';

/**
 * The first process of a live sandbox, in Perl: it makes itself non-dumpable (the agent has its uid and could else take it over by
 * /proc/1/mem), reaps what is orphaned, and does nothing else. No signal from inside its pid namespace reaches it.
 */
const SCRIPT = `
syscall($ARGV[0] + 0, 4, 0, 0, 0, 0) == 0 or exit 125;
$SIG{CHLD} = 'IGNORE';
sleep 1_000_000 while 1;
`;

/** The command line of a first process that only holds its namespaces. */
export function holdArguments(): readonly string[] {
  return ['/usr/bin/perl', '-e', SCRIPT, '--', String(SYSCALLS.prctl)];
}
