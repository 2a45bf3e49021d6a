import type { Socket } from 'node:net';
import { shownHost } from './hosts.ts';

/** Every rule that can refuse, with what the sandbox is told. */
const REFUSAL_TEXTS = {
  'malformed-request': 'the request is malformed',
  'not-a-proxy-request': 'this is a proxy: use CONNECT host:port or an absolute http:// URL',
  'address-literal': 'IP addresses are refused; use a host name',
  'host-not-allowed': 'the host is not on the allow list',
  'port-not-allowed': 'the port is not open for this host',
  'host-header-mismatch': "the Host header is not the URL's host",
  'does-not-resolve': 'the host name does not resolve',
  'private-address': 'the host name has an address that is not public',
  'upstream-unreachable': 'the host cannot be reached',
  'not-tls': 'a tunnel carries TLS only',
  'sni-missing': 'the TLS client names no server',
  'sni-mismatch': 'the TLS client names another server than the tunnel was asked for',
  'too-slow': 'the request took too long to arrive',
  'too-many-connections': 'too many connections are open',
  'too-many-bytes': 'the byte limit of a connection is used up',
} as const;

/** Which rule refused an attempt. */
export type EgressRefusal = keyof typeof REFUSAL_TEXTS;

/** One attempt of a sandbox to reach a host, told once when it is over. */
export interface EgressAttempt {
  /** When it began. */
  readonly at: Date;
  readonly via: 'tunnel' | 'request';
  /** As the sandbox wrote it: hostile, printable ASCII, at most 255 characters; empty when nothing was understood. */
  readonly host: string;
  /** 0 when none was understood. */
  readonly port: number;
  /** `refused` also when a rule ended what had begun; the byte counts tell. */
  readonly verdict: 'allowed' | 'refused';
  readonly reason: EgressRefusal | null;
  /** The address that was connected to, or the one that is the reason of the refusal. */
  readonly address: string | null;
  /** Bytes written to the upstream, HTTP headers and TLS included; unsent ones too, so never too few. */
  readonly bytesUp: number;
  /** Bytes read from the upstream, HTTP headers and TLS included. */
  readonly bytesDown: number;
  /** Milliseconds from the request's arrival to the end. */
  readonly wallMs: number;
}

/** An attempt that is under way. */
export interface OpenAttempt {
  /** The address that matters so far; the last one counts. */
  reached(address: string): void;
  /** The connection whose bytes are counted. */
  carriedBy(upstream: Socket): void;
  /** Tells the attempt as refused; nothing is told twice. */
  refused(reason: EgressRefusal): void;
  /** Tells the attempt as allowed, unless it was refused before. */
  over(): void;
}

/** Who is told about attempts, and with which clock. */
export interface AttemptLog {
  readonly onAttempt: (attempt: EgressAttempt) => void;
  readonly now: () => Date;
}

/** What a sandbox asked for, before anything of it was checked. */
export interface AttemptTarget {
  readonly via: EgressAttempt['via'];
  readonly host: string;
  readonly port: number;
}

/** Begins an attempt now. */
export function openAttempt({ onAttempt, now }: AttemptLog, { via, host, port }: AttemptTarget): OpenAttempt {
  const at = now();
  const started = performance.now();
  let address: string | null = null;
  let upstream: Socket | null = null;
  let told = false;
  const tell = (reason: EgressRefusal | null) => {
    if (told) return;
    told = true;
    onAttempt({
      at,
      via,
      host: shownHost(host),
      port,
      verdict: reason === null ? 'allowed' : 'refused',
      reason,
      address,
      bytesUp: upstream?.bytesWritten ?? 0,
      bytesDown: upstream?.bytesRead ?? 0,
      wallMs: performance.now() - started,
    });
  };
  return {
    reached(reachedAddress) {
      address = reachedAddress;
    },
    carriedBy(socket) {
      upstream = socket;
    },
    refused: tell,
    over: () => tell(null),
  };
}

/** The line that a sandbox reads when a rule refused. */
export function refusalLine(reason: EgressRefusal): string {
  return `proctor egress: ${REFUSAL_TEXTS[reason]} (${reason})\n`;
}

/** The status of that answer: 502 when the upstream is at fault, else 403. */
export function refusalStatus(reason: EgressRefusal): 403 | 502 {
  return reason === 'upstream-unreachable' || reason === 'does-not-resolve' ? 502 : 403;
}
