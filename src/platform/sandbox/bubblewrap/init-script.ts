import { type Rlimit, SYSCALLS } from '../commands/program.ts';

/**
 * The first process of every command's pid namespace, in Perl (perl-base is essential in Debian and starts in a millisecond).
 * bubblewrap's own is of the candidate's uid and dumpable, so the candidate could write to /proc/1/mem and take it over.
 * This one makes itself non-dumpable before the program exists, runs it under its limits, reaps what is orphaned, and tells
 * the program's wait status on a descriptor that nothing else has; a program that could not be set up is told as `failed`.
 * When it ends, the kernel ends all that is left in the namespace.
 */
const SCRIPT = `
my ($fd, $prctl, $prlimit, $limits, @command) = @ARGV;
syscall($prctl + 0, 4, 0, 0, 0, 0) == 0 or exit 125;
open(my $tell, '>&=', $fd) or exit 125;
fcntl($tell, 2, 1) or exit 125;
my $child = fork;
defined $child or exit 125;
if (!$child) {
  for (split /,/, $limits) {
    my ($resource, $soft, $hard) = split /:/;
    my $pair = pack('QQ', $soft, $hard);
    next if syscall($prlimit + 0, 0, $resource + 0, $pair, 0) == 0;
    syswrite($tell, "failed to limit $resource: $!\n");
    exit 125;
  }
  exec { $command[0] } @command;
  print STDERR "$command[0]: $!\n";
  exit 127;
}
while ((my $gone = wait) != -1) { if ($gone == $child) { syswrite($tell, "ended $?\n"); last } }
`;

/** The arguments that run `command` under the first process; `descriptor` is where it tells the wait status. */
export function underInit(
  descriptor: number,
  limits: readonly Rlimit[],
  command: readonly string[],
): readonly string[] {
  const { prctl, prlimit } = SYSCALLS;
  const listed = limits.map((limit) => limit.join(':')).join(',');
  return ['/usr/bin/perl', '-e', SCRIPT, '--', String(descriptor), String(prctl), String(prlimit), listed, ...command];
}
