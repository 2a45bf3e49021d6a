import type { Socket } from 'node:net';
import { looksLikeAddress } from './addresses.ts';
import type { EgressRefusal, OpenAttempt } from './attempt.ts';
import { canonicalHost } from './hosts.ts';
import type { ConnectTarget, GatewaySettings } from './settings.ts';

/** Most addresses of one name that are tried one after the other. */
const MAX_TRIES = 4;

/** What a sandbox wants to reach, as it wrote it. */
export interface Wanted {
  readonly host: string;
  readonly port: number;
}

/** A connection to a vetted address of the host, or the rule that refused it. */
export type Upstream =
  | { readonly kind: 'connected'; readonly socket: Socket; readonly host: string }
  | { readonly kind: 'refused'; readonly reason: EgressRefusal }
  /** The sandbox went away meanwhile. */
  | { readonly kind: 'abandoned' };

/** One request of a sandbox, on its way through the gateway. */
export interface Errand {
  readonly settings: GatewaySettings;
  readonly attempt: OpenAttempt;
  /** The sandbox's connection. */
  readonly client: Socket;
}

/**
 * Checks the host and the port, resolves the name once, vets all answers and connects to one of those very
 * addresses: a name that changes its answer in between gains nothing.
 */
export async function reachUpstream(errand: Errand, wanted: Wanted): Promise<Upstream> {
  const { settings, attempt } = errand;
  const reason = refusalOf(settings, wanted);
  if (reason !== null) return { kind: 'refused', reason };
  const host = canonicalHost(wanted.host) ?? '';
  const addresses = await resolveInTime(errand, host);
  if (errand.client.destroyed) return { kind: 'abandoned' };
  if (addresses.length === 0) return { kind: 'refused', reason: 'does-not-resolve' };
  const inside = addresses.find((address) => !settings.isPublic(address));
  if (inside !== undefined) {
    attempt.reached(inside);
    return { kind: 'refused', reason: 'private-address' };
  }
  for (const address of addresses.slice(0, MAX_TRIES)) {
    attempt.reached(address);
    const socket = await connectInTime(errand, { address, port: wanted.port });
    if (socket !== null) return { kind: 'connected', socket, host };
    if (errand.client.destroyed) return { kind: 'abandoned' };
  }
  return { kind: 'refused', reason: 'upstream-unreachable' };
}

function refusalOf({ allow }: GatewaySettings, { host, port }: Wanted): EgressRefusal | null {
  if (looksLikeAddress(host)) return 'address-literal';
  if (canonicalHost(host) === null) return 'malformed-request';
  if (!allow.allowsHost(host)) return 'host-not-allowed';
  return allow.allows(host, port) ? null : 'port-not-allowed';
}

/** The name's addresses; none when it has none, they did not come in time, or the sandbox went away. */
async function resolveInTime({ settings, client }: Errand, host: string): Promise<readonly string[]> {
  let stop = () => {};
  const givenUp = new Promise<readonly string[]>((resolve) => {
    stop = () => resolve([]);
  });
  const timer = setTimeout(stop, settings.limits.resolveMs);
  client.once('close', stop);
  try {
    return await Promise.race([settings.resolve(host), givenUp]);
  } catch {
    return []; // what name servers answer to names that do not exist
  } finally {
    clearTimeout(timer);
    client.off('close', stop);
  }
}

/** A connected socket, or null when it did not connect in time or the sandbox went away. */
async function connectInTime({ settings, client, attempt }: Errand, target: ConnectTarget): Promise<Socket | null> {
  const socket = settings.connect(target);
  const giveUp = () => socket.destroy();
  const timer = setTimeout(giveUp, settings.limits.connectMs);
  client.once('close', giveUp);
  socket.on('error', () => undefined); // who uses it looks at 'close'
  if (client.destroyed) giveUp();
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('close', () => resolve(false));
  });
  clearTimeout(timer);
  client.off('close', giveUp);
  if (!connected || client.destroyed) {
    socket.destroy();
    return null;
  }
  socket.allowHalfOpen = true; // a tunnel's two directions end each for itself
  attempt.carriedBy(socket);
  return socket;
}
