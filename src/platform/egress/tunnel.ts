import type { Socket } from 'node:net';
import type { EgressRefusal } from './attempt.ts';
import { readClientHello } from './client-hello.ts';
import { canonicalHost } from './hosts.ts';
import { startMeter } from './meter.ts';
import { refuseOnSocket, refuseTlsClient } from './refuse.ts';
import { type Errand, reachUpstream, type Wanted } from './upstream.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** A CONNECT request, with the bytes that the client sent behind its head. */
export interface TunnelRequest {
  readonly wanted: Wanted;
  readonly head: Buffer;
}

/**
 * Serves a tunnel until both sides are closed. Not a byte goes up before the client has sent a whole TLS
 * ClientHello that names the host of the CONNECT request.
 */
export async function serveTunnel(errand: Errand, { wanted, head }: TunnelRequest): Promise<void> {
  const { attempt, client } = errand;
  const upstream = await reachUpstream(errand, wanted);
  if (upstream.kind === 'abandoned') return attempt.over();
  if (upstream.kind === 'refused') {
    attempt.refused(upstream.reason);
    return refuseOnSocket(client, upstream.reason);
  }
  client.write(ESTABLISHED);
  const opening = await readOpening(errand, head);
  const reason = opening.kind === 'gone' ? null : refusalOf(opening, upstream.host);
  if (reason !== null) attempt.refused(reason);
  if (opening.kind !== 'name' || reason !== null) {
    attempt.over();
    upstream.socket.destroy();
    return dismiss(client, reason);
  }
  await carry(errand, upstream.socket, opening.bytes);
}

/** What a client begins its tunnel with; `gone`: with nothing, it has left. */
interface Opening {
  readonly kind: ReturnType<typeof readClientHello>['kind'] | 'too-slow' | 'gone';
  readonly name?: string;
  readonly bytes: Buffer;
}

function refusalOf(opening: Opening, host: string): EgressRefusal | null {
  if (opening.kind === 'too-slow') return 'too-slow';
  if (opening.kind === 'no-name') return 'sni-missing';
  if (opening.kind !== 'name') return 'not-tls';
  return canonicalHost(opening.name ?? '') === host ? null : 'sni-mismatch';
}

function dismiss(client: Socket, reason: EgressRefusal | null): void {
  if (reason === null) client.destroy();
  else if (reason === 'sni-missing' || reason === 'sni-mismatch') refuseTlsClient(client);
  else refuseOnSocket(client, reason);
}

function readOpening({ client, settings }: Errand, head: Buffer): Promise<Opening> {
  return new Promise((resolve) => {
    let bytes = head;
    const settle = (opening: Omit<Opening, 'bytes'>) => {
      clearTimeout(timer);
      client.off('data', take).off('end', ended).off('close', ended).pause();
      resolve({ ...opening, bytes });
    };
    const take = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const hello = readClientHello(bytes);
      if (hello.kind !== 'incomplete') settle(hello);
    };
    const ended = () => settle({ kind: bytes.length === 0 ? 'gone' : 'not-tls' });
    const timer = setTimeout(() => settle({ kind: 'too-slow' }), settings.limits.headerMs);
    client.on('data', take).once('end', ended).once('close', ended);
    if (client.destroyed) ended();
    else take(Buffer.alloc(0)); // the head alone may be all
  });
}

/** Passes bytes both ways until both connections are closed; each direction ends for itself. */
async function carry(errand: Errand, upstream: Socket, opening: Buffer): Promise<void> {
  const { client, attempt } = errand;
  const meter = startMeter(errand, upstream);
  client.on('data', (chunk: Buffer) => meter.up(chunk.length));
  upstream.on('data', () => meter.down());
  const closed = Promise.all([closing(client, upstream), closing(upstream, client)]);
  meter.up(opening.length);
  if (!upstream.destroyed) upstream.write(opening);
  client.pipe(upstream).pipe(client);
  await closed;
  meter.stop();
  attempt.over();
}

/** Waits until a connection is closed, and then closes the other one: what is under way is delivered, unless it broke. */
function closing(socket: Socket, other: Socket): Promise<void> {
  return new Promise((resolve) => {
    const closed = (broke: boolean) => {
      if (broke) other.destroy();
      else other.destroySoon();
      resolve();
    };
    if (socket.destroyed) closed(socket.errored !== null);
    else socket.once('close', closed);
  });
}
