import { Resolver } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { isPublicAddress } from './addresses.ts';
import type { AllowList } from './allow-list.ts';
import type { AttemptLog, EgressAttempt } from './attempt.ts';

/** What bounds a sandbox's use of its gateway. */
export interface EgressLimits {
  /** Open connections of the sandbox at once. */
  readonly connections: number;
  /** Bytes of a request's head. */
  readonly headerBytes: number;
  /** Milliseconds until a request's head, and in a tunnel the TLS ClientHello, must be there. */
  readonly headerMs: number;
  /** Milliseconds for one name to be resolved. */
  readonly resolveMs: number;
  /** Milliseconds for one address to answer. */
  readonly connectMs: number;
  /** Milliseconds without a byte in either direction. */
  readonly idleMs: number;
  /** Bytes of one connection to the upstream; infinite by default. */
  readonly bytesUp: number;
  /** Bytes of one connection from the upstream; infinite by default. */
  readonly bytesDown: number;
}

/** Limits that package managers, git and browsers do not meet in ordinary use. */
export const EGRESS_LIMITS: EgressLimits = {
  connections: 64,
  headerBytes: 16 * 1024,
  headerMs: 10_000,
  resolveMs: 10_000,
  connectMs: 10_000,
  idleMs: 120_000,
  bytesUp: Number.POSITIVE_INFINITY,
  bytesDown: Number.POSITIVE_INFINITY,
};

/** What a gateway needs; everything but the list and the log has a real default. */
export interface GatewayOptions {
  readonly allow: AllowList;
  /** Called once per attempt, when it is over; must not throw. The caller bounds how many it keeps. */
  readonly onAttempt: (attempt: EgressAttempt) => void;
  /** All addresses of a name; rejects or answers none when there are none. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Begins to connect to an address that was vetted. */
  readonly connect?: (target: ConnectTarget) => Socket;
  readonly isPublic?: (address: string) => boolean;
  readonly now?: () => Date;
  readonly limits?: Partial<EgressLimits>;
}

/** An address that was vetted, and a port that is allowed. */
export interface ConnectTarget {
  readonly address: string;
  readonly port: number;
}

/** {@link GatewayOptions} with the defaults in it. */
export interface GatewaySettings extends AttemptLog {
  readonly allow: AllowList;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly connect: (target: ConnectTarget) => Socket;
  readonly isPublic: (address: string) => boolean;
  readonly limits: EgressLimits;
}

/** Fills in the defaults. */
export function gatewaySettings(options: GatewayOptions): GatewaySettings {
  return {
    allow: options.allow,
    onAttempt: options.onAttempt,
    now: options.now ?? (() => new Date()),
    resolve: options.resolve ?? resolveName,
    connect: options.connect ?? (({ address, port }) => connect({ host: address, port, autoSelectFamily: false })),
    isPublic: options.isPublic ?? isPublicAddress,
    limits: { ...EGRESS_LIMITS, ...options.limits },
  };
}

/**
 * Asks the name servers of /etc/resolv.conf for both families, IPv4 first: most hosts of sandboxes have no IPv6.
 * Not dns.lookup: it takes no time limit and its few threads are shared with every file operation of the service.
 */
async function resolveName(host: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
