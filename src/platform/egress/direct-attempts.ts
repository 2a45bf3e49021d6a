import { spawn } from 'node:child_process';
import { z } from 'zod';
import { ProctorError } from '../base/errors.ts';
import { type NetworkNamespace, openNetworkNamespace } from './network-namespace.ts';
import { programPath } from './system-program.ts';

/** Different destinations that are counted one by one, for each family; more are counted together. */
export const MAX_DESTINATIONS = 4_096;
const TABLE = 'proctor_egress';
/** Milliseconds for one run of nft or ip; they take about 10. */
const LIMIT_MS = 10_000;
/** Most bytes of nft's listing: four full sets at about 130 bytes an element. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;

/** What a sandbox tried to reach past its gateway. */
export interface DirectAttempt {
  /** `tcp`, `udp`, or another protocol's name or number. */
  readonly protocol: string;
  readonly address: string;
  /** 0 for protocols without ports. */
  readonly port: number;
  /** Packets, of which one attempt may send several. */
  readonly packets: number;
}

/** Everything that was counted so far. */
export interface DirectAttemptCounts {
  readonly attempts: readonly DirectAttempt[];
  /** Packets to destinations that no longer fitted in, or whose ports could not be read (fragments). */
  readonly uncounted: number;
}

/** The packet counters of one sandbox. */
export interface DirectAttempts {
  /** Also after the sandbox's end, until {@link DirectAttempts.close}. */
  read(): Promise<DirectAttemptCounts>;
  close(): void;
}

/** Counts before it refuses; `update` fails on a full set, and the rules behind it then count the packet. */
const RULES = `create table inet ${TABLE}
table inet ${TABLE} {
  set ports4 { type ipv4_addr . inet_proto . inet_service; size ${MAX_DESTINATIONS}; flags dynamic; }
  set ports6 { type ipv6_addr . inet_proto . inet_service; size ${MAX_DESTINATIONS}; flags dynamic; }
  set others4 { type ipv4_addr . inet_proto; size ${MAX_DESTINATIONS}; flags dynamic; }
  set others6 { type ipv6_addr . inet_proto; size ${MAX_DESTINATIONS}; flags dynamic; }
  counter uncounted { }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }
  chain output {
    type filter hook output priority 0; policy drop;
    ip daddr 127.0.0.0/8 accept
    ip6 daddr ::1 accept
    meta l4proto { tcp, udp } update @ports4 { ip daddr . meta l4proto . th dport counter } goto refuse
    meta l4proto { tcp, udp } update @ports6 { ip6 daddr . meta l4proto . th dport counter } goto refuse
    meta l4proto != { tcp, udp } update @others4 { ip daddr . meta l4proto counter } goto refuse
    meta l4proto != { tcp, udp } update @others6 { ip6 daddr . meta l4proto counter } goto refuse
    counter name uncounted
    goto refuse
  }
}
`;

/** Default routes to \`lo\`: without them a client hangs, or fails before the rules see its packet. $1 nft, $2 ip. */
const SET_UP = `
"$1" -f -
"$2" link set dev lo up
"$2" route replace default dev lo src 127.0.0.1
v6=/proc/sys/net/ipv6/conf/lo/disable_ipv6
if [ -e "$v6" ]; then
  [ "$(cat "$v6")" = 0 ] || echo 0 > "$v6"
  "$2" -6 route replace default dev lo src ::1
fi
`;

/**
 * From now on counts and refuses, in the network namespace of a process, every packet that does not go to its own
 * loopback. Clients fail at once instead of hanging.
 *
 * @throws ProctorError `capability-missing` without nftables or iproute2; `sandbox-failed` when the namespace does
 *   not take the rules or is watched already
 */
export async function watchDirectAttempts({
  pid,
  isWatched = false,
}: {
  readonly pid: number;
  /** An earlier process watches it already: its counts go on. */
  readonly isWatched?: boolean;
}): Promise<DirectAttempts> {
  const nft = programPath({ name: 'nft', debianPackage: 'nftables' });
  const ip = programPath({ name: 'ip', debianPackage: 'iproute2' });
  const namespace = openNetworkNamespace(pid);
  try {
    if (!isWatched) await runInside(namespace, ['/bin/sh', '-euc', SET_UP, 'sh', nft, ip], RULES);
  } catch (error) {
    namespace.close();
    throw error;
  }
  return {
    read: async () => parseListing(await runInside(namespace, [nft, '-j', 'list', 'table', 'inet', TABLE], '')),
    close: namespace.close,
  };
}

const text = z.union([z.string(), z.number()]).transform(String);
const packets = z.object({ packets: z.number() });
const elementSchema = z.object({
  elem: z.object({
    val: z.object({ concat: z.tuple([z.string(), text, z.coerce.number().default(0)]) }),
    counter: packets,
  }),
});
const listingSchema = z.object({
  nftables: z.array(
    z.object({
      set: z.object({ elem: z.array(elementSchema).default([]) }).optional(),
      counter: packets.optional(),
    }),
  ),
});

/** Reads what `nft -j list table` prints. */
function parseListing(json: string): DirectAttemptCounts {
  const { nftables } = listingSchema.parse(JSON.parse(json));
  const elements = nftables.flatMap((entry) => entry.set?.elem ?? []);
  return {
    attempts: elements.map(({ elem }) => {
      const [address, protocol, port] = elem.val.concat;
      return { protocol, address, port, packets: elem.counter.packets };
    }),
    uncounted: nftables.reduce((sum, entry) => sum + (entry.counter?.packets ?? 0), 0),
  };
}

/** Runs a command in the namespace with an empty environment; its standard output. */
function runInside(namespace: NetworkNamespace, command: readonly string[], input: string): Promise<string> {
  const nsenter = programPath({ name: 'nsenter', debianPackage: 'util-linux' });
  return new Promise((resolve, reject) => {
    const child = spawn(nsenter, ['--net=/proc/self/fd/3', ...command], {
      stdio: ['pipe', 'pipe', 'pipe', namespace.descriptor],
      env: {},
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const output: Buffer[] = [];
    let complaint = '';
    let bytes = 0;
    const failed = (why: string, cause?: unknown) =>
      reject(new ProctorError('sandbox-failed', `direct attempts are not watched: ${why}`, { command }, { cause }));
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_LISTING_BYTES) child.kill('SIGKILL');
      else output.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint = `${complaint}${chunk.toString('utf8')}`.slice(0, 2_000);
    });
    child.on('error', (error) => failed(error.message, error));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else failed(complaint.trim() || `exit code ${code}, signal ${signal}`);
    });
    child.stdin?.on('error', () => undefined).end(input);
  });
}
