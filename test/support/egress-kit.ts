import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllowList } from '../../src/platform/egress/allow-list.ts';
import type { EgressAttempt } from '../../src/platform/egress/attempt.ts';
import { type Gateway, openGateway } from '../../src/platform/egress/gateway.ts';
import type { ConnectTarget, GatewayOptions } from '../../src/platform/egress/settings.ts';

/** For tests only: a gateway on loopback whose outside world is made of servers on loopback. */
export interface Rig {
  readonly gateway: Gateway;
  /** The gateway's port on 127.0.0.1. */
  readonly port: number;
  readonly attempts: readonly EgressAttempt[];
  /** What the gateway connected to and asked for, in order. */
  readonly connected: readonly ConnectTarget[];
  readonly resolved: readonly string[];
  /** The attempts, once there are as many. */
  told(count: number): Promise<readonly EgressAttempt[]>;
}

/** Names and what they resolve to; `good.org` and `*.good.org` are on the allow list. */
export const PUBLIC = '93.184.216.34';
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'good.org': [PUBLIC],
  'www.good.org': [PUBLIC],
  'inside.good.org': ['10.0.0.5'],
  'mixed.good.org': [PUBLIC, '127.0.0.1'],
  'other.net': [PUBLIC],
};

/** Opens a rig; `outside` says which local port stands for a port of the outside world. */
export async function openRig(
  outside: Readonly<Record<number, number>>,
  options: Partial<GatewayOptions> = {},
): Promise<Rig> {
  const attempts: EgressAttempt[] = [];
  const connected: ConnectTarget[] = [];
  const resolved: string[] = [];
  const waiting = new Set<() => void>();
  const { resolve = async (host: string) => NAMES[host] ?? [], ...others } = options;
  const gateway = openGateway({
    allow: parseAllowList(['good.org', '*.good.org', 'good.org:8443']),
    onAttempt(attempt) {
      attempts.push(attempt);
      for (const look of waiting) look();
    },
    resolve: (host) => {
      resolved.push(host);
      return resolve(host);
    },
    connect(target) {
      connected.push(target);
      return connect({ host: '127.0.0.1', port: outside[target.port] ?? 1 });
    },
    ...others,
  });
  const server = createServer();
  gateway.serve(server);
  const told = (count: number) =>
    new Promise<readonly EgressAttempt[]>((done) => {
      const look = () => {
        if (attempts.length < count) return;
        waiting.delete(look);
        done(attempts);
      };
      waiting.add(look);
      look();
    });
  return { gateway, port: await listen(server), attempts, connected, resolved, told };
}

/** Listens on a free port of 127.0.0.1. */
export function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}

/** Sends raw bytes and returns all that comes back until the other side closes; errors count as closing. */
export function say(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(text));
    let heard = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('error', () => undefined).on('close', () => resolve(heard));
  });
}

/** A connection through which the gateway has answered `200` to a CONNECT. */
export function openTunnel(port: number, authority: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => {
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    });
    socket.once('data', (bytes: Buffer) => {
      if (bytes.toString().startsWith('HTTP/1.1 200 ')) resolve(socket);
      else reject(new Error(bytes.toString()));
    });
    socket.on('error', reject);
  });
}

/** A self-signed certificate for good.org. */
export function makeCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'proctor-egress-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const where = ['-subj', '/CN=good.org', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...kind, ...where], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
