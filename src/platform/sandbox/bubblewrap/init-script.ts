/** System call number of prctl(2), by Node's name of the processor. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };

/**
 * The first process of every command's pid namespace, in Perl (perl-base is essential in Debian and starts in a millisecond).
 * bubblewrap's own is of the candidate's uid and dumpable, so the candidate could write to /proc/1/mem and take it over.
 * This one makes itself non-dumpable before the program exists, runs it, reaps what is orphaned, and tells the program's
 * wait status on a descriptor that nothing else has. When it ends, the kernel ends all that is left in the namespace.
 */
const SCRIPT = `
my ($fd, $prctl, @command) = @ARGV;
syscall($prctl + 0, 4, 0, 0, 0, 0) == 0 or exit 125;
open(my $tell, '>&=', $fd) or exit 125;
fcntl($tell, 2, 1) or exit 125;
my $child = fork;
defined $child or exit 125;
if (!$child) { exec { $command[0] } @command; exit 127 }
while ((my $gone = wait) != -1) { if ($gone == $child) { syswrite($tell, "ended $?\\n"); last } }
`;

/** The arguments that run `command` under the first process; `descriptor` is where it tells the wait status. */
export function underInit(descriptor: number, command: readonly string[]): readonly string[] {
  return [
    '/usr/bin/perl',
    '-e',
    SCRIPT,
    '--',
    String(descriptor),
    String(PRCTL[process.arch] ?? PRCTL.x64),
    ...command,
  ];
}
