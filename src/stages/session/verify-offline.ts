import { ProctorError } from '../../platform/base/errors.ts';
import type { LiveSandbox } from '../../platform/sandbox/live-sandbox.ts';

/** What a probe tries to reach: TEST-NET-1 (RFC 5737), which is nowhere. It is counted like any other attempt, once for each port and protocol. */
const PROBE_ADDRESS = '192.0.2.1';
const PROBE_PORTS: readonly number[] = [53, 443];

/** How many of the packets that a sandbox's network counted to a destination were its probe's. */
export function probePackets({ address, port }: { readonly address: string; readonly port: number }): number {
  return address === PROBE_ADDRESS && PROBE_PORTS.includes(port) ? 1 : 0;
}

/** Tries from inside what nothing there may do, and prints a line for each that went well. Perl is in every snapshot. */
const PROBE = `
use Socket;
for my $kind (SOCK_STREAM, SOCK_DGRAM) {
  for my $port (${PROBE_PORTS.join(', ')}) {
    socket(my $socket, AF_INET, $kind, 0) or next;
    local $SIG{ALRM} = sub { exit 0 };
    alarm 2;
    my $target = sockaddr_in($port, inet_aton('${PROBE_ADDRESS}'));
    my $went = $kind == SOCK_STREAM ? connect($socket, $target) : send($socket, 'x', 0, $target);
    print "reached ${PROBE_ADDRESS}:$port\\n" if $went;
  }
}
open(my $devices, '<', '/proc/net/dev') or print "no list of network devices\\n";
for (<$devices>) { print "device $1\\n" if /^\\s*(\\S+):/ && $1 ne 'lo' }
print "tried\\n";
`;
const PROBE_MS = 10_000;

/** Verifies from inside that a workspace reaches nothing; `sandbox-failed` when it does, or when that cannot be told. */
export async function verifyOffline(sandbox: LiveSandbox): Promise<void> {
  const step = await sandbox.step({
    argv: ['/usr/bin/perl', '-e', PROBE],
    ...{ cwd: '/', env: { PATH: '/usr/bin:/bin' }, wallMs: PROBE_MS, outputBytes: 65_536 },
  });
  const parts: Buffer[] = [];
  step.stdout.on('data', (chunk: Buffer) => parts.push(chunk));
  step.stderr.on('data', (chunk: Buffer) => parts.push(chunk));
  step.stdin.end();
  const { ending } = await step.ended;
  const said = Buffer.concat(parts).toString('utf8').trim();
  if (ending.kind === 'exited' && ending.code === 0 && said === 'tried') return;
  throw new ProctorError(
    'sandbox-failed',
    `a workspace could not be shown to be offline: ${said.slice(0, 300) || ending.kind}`,
  );
}
