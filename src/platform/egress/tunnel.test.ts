import { once } from 'node:events';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  listen,
  makeCertificate,
  openRig,
  openTunnel,
  PUBLIC,
  type Rig,
  say,
} from '../../../test/support/egress-kit.ts';
import type { GatewayOptions } from './settings.ts';

let certificate: ReturnType<typeof makeCertificate>;
let upstream: Server;
let upstreamPort: number;
let rig: Rig | null = null;

beforeAll(() => {
  certificate = makeCertificate();
});

beforeEach(async () => {
  upstream = createServer(certificate, (socket) => {
    socket.on('error', () => undefined).on('data', (bytes) => socket.write(bytes.toString().toUpperCase()));
  });
  upstreamPort = await listen(upstream);
});

afterEach(async () => {
  await rig?.gateway.close();
  rig = null;
  upstream.close();
});

async function open(options: Partial<GatewayOptions> = {}, port = upstreamPort): Promise<Rig> {
  rig = await openRig({ 443: port, 8443: port }, options);
  return rig;
}

function startTls(socket: Socket, servername: string): TLSSocket {
  return connectTls({ socket, servername, rejectUnauthorized: false }).on('error', () => undefined);
}

const connectLine = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: whatever\r\n\r\n`;

describe('a tunnel', () => {
  it('carries TLS both ways and counts the bytes', async () => {
    const { port, told, attempts, connected } = await open();
    const tls = startTls(await openTunnel(port, 'Good.org:443'), 'GOOD.ORG');
    await once(tls, 'secureConnect');
    expect(tls.getPeerCertificate().subject.CN).toBe('good.org');
    tls.write('abc'.repeat(1000));
    let heard = '';
    while (heard.length < 3000) heard += String((await once(tls, 'data'))[0]);
    expect(heard).toBe('ABC'.repeat(1000));
    expect(attempts).toEqual([]);
    tls.end();
    const [attempt] = await told(1);
    expect(attempt).toMatchObject({ via: 'tunnel', host: 'Good.org', port: 443, verdict: 'allowed', address: PUBLIC });
    expect(attempt?.bytesUp).toBeGreaterThan(3000);
    expect(attempt?.bytesDown).toBeGreaterThan(3000);
    expect(connected).toEqual([{ address: PUBLIC, port: 443 }]);
  });

  it.each([
    ['host-not-allowed', 'other.net:443'],
    ['port-not-allowed', 'good.org:22'],
    ['address-literal', '127.0.0.1:443'],
    ['address-literal', '127.1:443'],
    ['address-literal', '2130706433:443'],
    ['address-literal', '0x7f000001:443'],
    ['address-literal', '017700000001:443'],
    ['address-literal', '[::1]:443'],
    ['address-literal', '[::ffff:7f00:1]:443'],
    ['private-address', 'inside.good.org:443'],
    ['private-address', 'mixed.good.org:443'],
    ['malformed-request', 'good.org'],
    ['malformed-request', 'good.org:'],
    ['malformed-request', 'good.org:65536'],
    ['malformed-request', 'a@good.org:443'],
    ['malformed-request', 'go%6fd.org:443'],
    ['malformed-request', 'http://good.org:443'],
  ])('is refused as %s: %s', async (reason, authority) => {
    const { port, told, connected } = await open();
    const answer = await say(port, connectLine(authority));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(new RegExp(`\r\n\r\nproctor egress: .* \\(${reason}\\)\n$`));
    const [attempt] = await told(1);
    expect(attempt).toMatchObject({ verdict: 'refused', reason, bytesUp: 0, bytesDown: 0 });
    expect(connected).toEqual([]);
  });

  it('names the private address that was the reason', async () => {
    const { port, told } = await open();
    await say(port, connectLine('mixed.good.org:443'));
    expect((await told(1))[0]).toMatchObject({ via: 'tunnel', host: 'mixed.good.org', address: '127.0.0.1' });
  });

  it('goes to the address that was vetted, although the name has a private one by then', async () => {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return asked === 1 ? [PUBLIC] : ['127.0.0.1'];
    };
    const { port, connected, resolved } = await open({ resolve });
    const tls = startTls(await openTunnel(port, 'good.org:443'), 'good.org');
    await once(tls, 'secureConnect');
    tls.destroy();
    expect(connected).toEqual([{ address: PUBLIC, port: 443 }]);
    expect(resolved).toEqual(['good.org']);
  });

  it.each([
    ['sni-mismatch', 'other.net'],
    ['sni-mismatch', 'www.good.org'],
    ['sni-missing', ''],
  ])('is cut as %s when the client names %j, before a byte has gone up', async (reason, servername) => {
    const { port, told } = await open();
    const tls = startTls(await openTunnel(port, 'good.org:443'), servername);
    const [error] = await once(tls, 'error');
    expect(String(error)).toMatch(/unrecognized name/);
    expect((await told(1))[0]).toMatchObject({ verdict: 'refused', reason, bytesUp: 0, address: PUBLIC });
  });

  it.each(['GET / HTTP/1.1\r\nHost: good.org\r\n\r\n', 'SSH-2.0-x\r\n', '\u0016\u0003\u0001\u0000\u0000'])(
    'is cut when it carries no TLS but %j, also when that came right behind the CONNECT',
    async (bytes) => {
      const { port, told } = await open();
      expect(await say(port, connectLine('good.org:443') + bytes)).toContain('(not-tls)');
      const socket = await openTunnel(port, 'good.org:443');
      socket.write(bytes);
      expect(String((await once(socket, 'data'))[0])).toContain('(not-tls)');
      socket.destroy();
      for (const attempt of await told(2)) expect(attempt).toMatchObject({ reason: 'not-tls', bytesUp: 0 });
    },
  );

  it('is told as not TLS when the client leaves within its hello, and as allowed when it says nothing at all', async () => {
    const { port, told } = await open();
    for (const bytes of ['\u0016\u0003', '']) (await openTunnel(port, 'good.org:443')).end(bytes);
    const attempts = await told(2);
    expect(attempts.map(({ reason }) => reason).sort()).toEqual(['not-tls', null]);
    expect(attempts.map(({ bytesUp }) => bytesUp)).toEqual([0, 0]);
  });

  it('delivers what a half-closed client still waits for', async () => {
    const late = createTcpServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined).resume();
      socket.on('end', () => socket.end('x'.repeat(200_000)));
    });
    const { port, told } = await open({}, await listen(late));
    const socket = await openTunnel(port, 'good.org:443');
    socket.end(await helloBytes());
    let heard = 0;
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.length;
    });
    await once(socket, 'end');
    expect(heard).toBe(200_000);
    expect((await told(1))[0]).toMatchObject({ verdict: 'allowed', bytesDown: 200_000 });
    late.close();
  });

  it('is over when the client breaks off midway, and the upstream is let go', async () => {
    const { port, told } = await open();
    const accepted = once(upstream, 'secureConnection');
    const tls = startTls(await openTunnel(port, 'good.org:443'), 'good.org');
    const [server] = await accepted;
    const left = once(server as TLSSocket, 'close');
    tls.destroy();
    await left;
    expect((await told(1))[0]).toMatchObject({ verdict: 'allowed', reason: null });
  });

  it('is cut at its byte limit, which not one byte passes', async () => {
    const { port, told } = await open({ limits: { bytesUp: 10_000 } });
    const tls = startTls(await openTunnel(port, 'good.org:443'), 'good.org');
    await once(tls, 'secureConnect');
    tls.write('x'.repeat(50_000));
    const [attempt] = await told(1);
    expect(attempt).toMatchObject({ verdict: 'refused', reason: 'too-many-bytes' });
    expect(attempt?.bytesUp).toBeLessThanOrEqual(10_000);
  });
});

/** What a TLS client for good.org sends first. */
async function helloBytes(): Promise<Buffer> {
  const server = createTcpServer();
  const port = await listen(server);
  const accepted = once(server, 'connection');
  const tls = startTls(connect({ host: '127.0.0.1', port }), 'good.org');
  const [socket] = (await accepted) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  tls.destroy();
  socket.destroy();
  server.close();
  return bytes;
}
