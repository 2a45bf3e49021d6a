import type { Rlimit } from '../commands/program.ts';
import { REFUSED_KEPT, type StepCommand, TELL_DESCRIPTOR } from '../live-sandbox.ts';
import { DENIED_ERRNO } from '../seccomp-filter.ts';

/** Numbers of system calls of x86-64: the sandbox's filter is known there only. */
const CALL = {
  ...{
    close: 3,
    sendmsg: 46,
    recvmsg: 47,
    socketpair: 53,
    setsid: 112,
    setgroups: 116,
    setresuid: 117,
    setresgid: 119,
  },
  ...{ capset: 126, prctl: 157, dup3: 292, prlimit: 302, setns: 308, seccomp: 317, pidfdOpen: 434 },
  ...{ closeRange: 436, poll: 7 },
} as const;

/** ioctl(2) requests of a seccomp listener (linux/seccomp.h): _IOWR('!', 0, 80 bytes) and _IOWR('!', 1, 24 bytes). */
const NOTIFY = { receive: 0xc0502100, send: 0xc0182101 } as const;

const { families, others } = DENIED_ERRNO;
const ERRNO_OF_CALL = `(grep { $number == $_ } ${families.calls.join(', ')}) ? ${families.errno} : ${others}`;

/** Descriptors that the script is started with; the program gets the last four as 0, 1, 2 and {@link TELL_DESCRIPTOR}. */
export const ENTER_DESCRIPTORS = { says: 3, request: 4, streams: 5 } as const;

/**
 * Runs on the host and enters a live sandbox for one step. It reads the step from a pipe (an agent's environment must not be its
 * own), enters the namespaces of the sandbox's first process, and forks: the child, which is the first of it that anything inside
 * can see, joins the step's cgroup, gives up all privileges, puts on the filter and becomes the program. No moment of it can be
 * used: it is not dumpable until the program is executed, and by then it is filtered. The parent stays outside of the pid
 * namespace, tells the program's wait status, and answers every call that the filter denies: the kernel asks it, so that each
 * attempt is told with its arguments and none is made. When it is lost, denied calls still fail (ENOSYS).
 */
const SCRIPT = `
$SIG{PIPE} = 'IGNORE';
open(my $says, '>&=', ${ENTER_DESCRIPTORS.says}) or exit 125;
sub fail { syswrite($says, "failed $_[0]: $!\\n"); exit 125 }
sub all { my ($handle, $text) = (shift, ''); 1 while sysread($handle, $text, 65536, length $text); $text }
open(my $from, '<&=', ${ENTER_DESCRIPTORS.request}) or fail('request');
my ($pid, $start, $flags, $uid, $limits, $filterPath, $joined, $marker, $cwd, $variables, @rest) = split(/\\0/, all($from), -1);
pop @rest;
close $from;
my @cgroups = splice(@rest, 0, $joined);
open(my $file, '<', $filterPath) or fail('filter');
binmode $file;
my $filter = all($file);
close $file;
my $target = syscall(${CALL.pidfdOpen}, $pid + 0, 0);
$target >= 0 or fail('first process');
open(my $stat, '<', "/proc/$pid/stat") or fail('first process');
my @fields = split(/ /, (<$stat> =~ s/.*\\) //sr));
$fields[19] == $start or fail('the first process is another');
close $stat;
my @joins = map { open(my $procs, '>', $_) or fail($_); $procs } @cgroups;
syscall(${CALL.prctl}, 4, 0, 0, 0, 0) == 0 or fail('dumpable');
syscall(${CALL.setgroups}, 0, 0) == 0 or fail('groups');
syscall(${CALL.setns}, $target, $flags + 0) == 0 or fail('namespaces');
syscall(${CALL.close}, $target);
my $pair = pack('x8');
syscall(${CALL.socketpair}, 1, 5, 0, $pair) == 0 or fail('socketpair');
my ($here, $there) = unpack('ll', $pair);
my $child = fork;
defined $child or fail('fork');
if (!$child) {
  syswrite($_, '0') or fail('cgroup') for @joins;
  close $_ for @joins;
  syscall(${CALL.close}, $here);
  syscall(${CALL.setsid});
  for (split /,/, $limits) {
    my ($resource, $soft, $hard) = split /:/;
    my $both = pack('QQ', $soft, $hard);
    syscall(${CALL.prlimit}, 0, $resource + 0, $both, 0) == 0 or fail("limit $resource");
  }
  syscall(${CALL.prctl}, 24, $_, 0, 0, 0) for 0 .. 63;
  syscall(${CALL.prctl}, 47, 4, 0, 0, 0);
  syscall(${CALL.setresgid}, $uid + 0, $uid + 0, $uid + 0) == 0 or fail('group');
  syscall(${CALL.setresuid}, $uid + 0, $uid + 0, $uid + 0) == 0 or fail('user');
  my ($head, $none) = (pack('LL', 0x20080522, 0), pack('x24'));
  syscall(${CALL.capset}, $head, $none) == 0 or fail('capabilities');
  syscall(${CALL.prctl}, 38, 1, 0, 0, 0) == 0 or fail('privileges');
  my $program = pack('Sx6P', length($filter) / 8, $filter);
  my $listener = syscall(${CALL.seccomp}, 1, 8, $program);
  $listener >= 0 or fail('filter');
  my $byte = 'x';
  my $vector = pack('PQ', $byte, 1);
  my $rights = pack('Qlllx4', 20, 1, 1, $listener);
  my $message = pack('x8Lx4PQPQLx4', 0, $vector, 1, $rights, 24, 0);
  syscall(${CALL.sendmsg}, $there, $message, 0) == 1 or fail('listener');
  syscall(${CALL.close}, $_) for $listener, $there;
  syscall(${CALL.dup3}, ${ENTER_DESCRIPTORS.streams} + $_, $_, 0) >= 0 or fail('streams') for 0 .. 2;
  syscall(${CALL.dup3}, ${ENTER_DESCRIPTORS.streams + 3}, ${TELL_DESCRIPTOR}, 0) >= 0 or fail('streams');
  syscall(${CALL.close}, ${ENTER_DESCRIPTORS.streams} + $_) for 0 .. 3;
  syscall(${CALL.closeRange}, ${TELL_DESCRIPTOR + 1}, 0xffffffff, 0);
  %ENV = map { /^([^=]*)=(.*)$/s } splice(@rest, 0, $variables);
  fcntl($says, 2, 1);
  open(my $begins, '<', $marker);
  if (!chdir $cwd) { print STDERR "$cwd: $!\\n"; exit 126 }
  exec { $rest[0] } @rest;
  print STDERR "$rest[0]: $!\\n";
  exit 127;
}
close $_ for @joins;
syscall(${CALL.close}, $_) for $there, map { ${ENTER_DESCRIPTORS.streams} + $_ } 0 .. 3;
my ($got, $rights) = (pack('x1'), pack('x24'));
my $vector = pack('PQ', $got, 1);
my $message = pack('x8Lx4PQPQLx4', 0, $vector, 1, $rights, 24, 0);
if (syscall(${CALL.recvmsg}, $here, $message, 0) != 1) {
  # it ended on the way: by a fault of ours, which is told, or by a signal, which can only be from inside
  waitpid $child, 0;
  syswrite($says, "ended $?\\n") if $? & 127;
  exit 125;
}
my $listener = (unpack('Qlll', $rights))[3];
open(my $asked, '+<&=', $listener) or fail('listener');
my $ending = syscall(${CALL.pidfdOpen}, $child, 0);
$ending >= 0 or fail('child');
syswrite($says, "begun $child\\n");
my ($told, $more) = (0, 0);
while (1) {
  my $polled = pack('lss lss', $listener, 1, 0, $ending, 1, 0);
  next if syscall(${CALL.poll}, $polled, 2, -1) < 0;
  my (undef, undef, $onCall, undef, undef, $onEnd) = unpack('lss lss', $polled);
  if ($ending >= 0 && $onEnd) {
    waitpid $child, 0;
    syswrite($says, "ended $?\\n");
    syscall(${CALL.close}, $ending);
    $ending = -1;
  }
  # without a call that waits: all that have the filter are gone. A call that was taken back meanwhile is no end
  last if ($onCall & 0x10) && !($onCall & 1) && $ending < 0;
  next if !($onCall & 1);
  my $call = pack('x80');
  ioctl($asked, ${NOTIFY.receive}, $call) or next;
  my ($id, $who, undef, $number, undef, undef, @args) = unpack('QLLlLQQ6', $call);
  my $errno = ${ERRNO_OF_CALL};
  my $answer = pack('QqlL', $id, 0, -$errno, 0);
  ioctl($asked, ${NOTIFY.send}, $answer);
  if ($told < ${REFUSED_KEPT}) { $told++; syswrite($says, join(' ', 'refused', $who, $number, @args) . "\\n") }
  else { $more++ }
}
syswrite($says, "gone $more\\n");
`;

/** What is entered, and by what its step is held. */
export interface EnterPlan {
  readonly first: { readonly pid: number; readonly startTime: string };
  /** Flags of setns(2). */
  readonly namespaces: number;
  /** Uid and gid of the program as its namespace counts them. */
  readonly uid: number;
  readonly limits: readonly Rlimit[];
  readonly filterPath: string;
  /** `cgroup.procs` files of the step. */
  readonly joinPaths: readonly string[];
}

/** The command line that enters; what it is told is in {@link enterRequest}, since a command line can be read inside for a moment. */
export const ENTER_ARGUMENTS: readonly string[] = ['/usr/bin/perl', '-e', SCRIPT];

/** A step and where it enters, as the script reads it; null where a text has a zero byte, which no program can be given. */
export function enterRequest(plan: EnterPlan, { argv, cwd, env }: StepCommand, marker: string): Buffer | null {
  const { first, namespaces, uid, limits, filterPath, joinPaths } = plan;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const fields = [
    ...[String(first.pid), first.startTime, String(namespaces), String(uid)],
    ...[limits.map((limit) => limit.join(':')).join(','), filterPath, String(joinPaths.length)],
    ...[marker, cwd, String(variables.length)],
    ...[...joinPaths, ...variables, ...argv],
  ];
  return fields.some((field) => field.includes('\0'))
    ? null
    : Buffer.from(fields.map((field) => `${field}\0`).join(''));
}
