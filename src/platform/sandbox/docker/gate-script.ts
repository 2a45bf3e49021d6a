import { SYSCALLS } from '../commands/program.ts';

/** How a gate that runs asks for its command. */
export const READY = 'ready\n';
/** Decimal digits before a command, which say how many bytes it has. */
const LENGTH_DIGITS = 8;

/**
 * The first process of a container, in Perl: it waits on standard input for a command, so that a container can be made before
 * there is one. It makes itself non-dumpable before the program exists, runs it, ends all that is left, and tells the program's
 * wait status last of all on standard error, behind a word that it was given with the command and that nobody else can know.
 */
const SCRIPT = `
my ($prctl, $prlimit, $dup) = map { $_ + 0 } @ARGV;
$0 = 'gate';
syscall($prctl, 4, 0, 0, 0, 0) == 0 or exit 125;
syswrite(STDERR, "ready\n") or exit 125;
sub bytes { my ($want, $got) = (shift, ''); while (length($got) < $want) { sysread(STDIN, $got, $want - length($got), length($got)) or exit 125 } $got }
my ($word, $cwd, $link, $limits, $variables, @rest) = split(/\\0/, bytes(bytes(${LENGTH_DIGITS})), -1);
pop @rest;
for (split /,/, $limits) {
  my ($resource, $soft, $hard) = split /:/;
  my $pair = pack('QQ', $soft, $hard);
  syscall($prlimit, 0, $resource + 0, $pair, 0) == 0 or die "failed to limit $resource: $!\n";
}
%ENV = map { /^([^=]*)=(.*)$/s } splice(@rest, 0, $variables);
for (map { [split /:/] } split /,/, $link) {
  open(my $end, $$_[1], $$_[2]) or die "failed to open a link: $!\n";
  syscall($dup, fileno($end), $$_[0] + 0, 0) >= 0 or die "failed to give a link: $!\n";
}
chdir $cwd or die "failed to enter $cwd: $!\n";
my $child = fork;
defined $child or die "failed to fork: $!\n";
if (!$child) {
  exec { $rest[0] } @rest;
  print STDERR "$rest[0]: $!\n";
  exit 127;
}
my ($gone, $status);
while (($gone = wait) != -1) { if ($gone == $child) { $status = $?; last } }
kill 'KILL', -1;
1 while wait != -1;
fcntl(STDERR, 4, 1); # blocking again: the program has the same description
syswrite(STDERR, "$word ended $status\n");
`;

/** The command line of a container: its gate. */
export function gateArguments(): readonly string[] {
  const { prctl, prlimit, dup } = SYSCALLS;
  return ['/usr/bin/perl', '-e', SCRIPT, '--', String(prctl), String(prlimit), String(dup)];
}

/** What a gate is told. */
export interface GateRequest {
  readonly word: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: readonly (readonly number[])[];
  /** Files that are opened at descriptors. */
  readonly links: readonly { readonly descriptor: number; readonly way: '<' | '>'; readonly path: string }[];
}

/** A request as a gate reads it; `null` where an argument or variable has a zero byte, which no program can be given. */
export function gateRequest(request: GateRequest): Buffer | null {
  const variables = Object.entries(request.environment).map(([name, value]) => `${name}=${value}`);
  const fields = [
    request.word,
    request.cwd,
    request.links.map(({ descriptor, way, path }) => `${descriptor}:${way}:${path}`).join(','),
    request.limits.map((limit) => limit.join(':')).join(','),
    String(variables.length),
    ...variables,
    ...request.argv,
  ];
  if (fields.some((field) => field.includes('\0'))) return null;
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  return Buffer.concat([Buffer.from(String(body.length).padStart(LENGTH_DIGITS, '0')), body]);
}

/** The wait status in the last bytes of standard error, and where they begin; null where it was not told. */
export function toldAtEnd(tail: Buffer, word: string): { readonly status: number; readonly at: number } | null {
  const text = tail.toString('latin1');
  const found = new RegExp(`${word} ended (\\d+)\\n$`).exec(text);
  return found === null ? null : { status: Number(found[1]), at: found.index };
}

/** More than a gate's last line can have. */
export const LAST_LINE_BYTES = 80;
