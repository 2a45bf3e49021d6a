import { once } from 'node:events';
import { connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen, openRig, openTunnel, PUBLIC, type Rig, say } from '../../../test/support/egress-kit.ts';
import type { GatewayOptions } from './settings.ts';

let silent: Server;
let silentPort: number;
let rig: Rig | null = null;

beforeEach(async () => {
  silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silentPort = await listen(silent);
});

afterEach(async () => {
  await rig?.gateway.close();
  rig = null;
  silent.close();
});

async function open(options: Partial<GatewayOptions> = {}): Promise<Rig> {
  rig = await openRig({ 80: silentPort, 443: silentPort }, options);
  return rig;
}

const request = 'GET http://good.org/ HTTP/1.1\r\nHost: good.org\r\n\r\n';
const tunnel = 'CONNECT good.org:443 HTTP/1.1\r\n\r\n';

describe('the gateway', () => {
  it('refuses a connection too many, and takes one again when another is closed', async () => {
    const { port, told } = await open({ limits: { connections: 2 } });
    const held = [await openTunnel(port, 'good.org:443'), await openTunnel(port, 'good.org:443')];
    expect(await say(port, '')).toContain('(too-many-connections)');
    expect((await told(1))[0]).toMatchObject({ reason: 'too-many-connections', host: '', port: 0, address: null });
    held[0]?.destroy();
    await told(2);
    held[0] = await openTunnel(port, 'good.org:443');
    for (const socket of held) socket.destroy();
    expect(await told(4)).toHaveLength(4);
  });

  it('refuses a head that does not arrive in time, and one that never begins', async () => {
    const { port, told } = await open({ limits: { headerMs: 50 } });
    expect(await say(port, 'GET http://good.org/ HTTP/1.1\r\nHost: go')).toContain('(too-slow)');
    expect(await say(port, '')).toContain('(too-slow)');
    expect((await told(2)).map(({ reason }) => reason)).toEqual(['too-slow', 'too-slow']);
  });

  it('refuses a tunnel whose ClientHello does not arrive in time', async () => {
    const { port, told } = await open({ limits: { headerMs: 100 } });
    expect(await say(port, `${tunnel}\u0016\u0003`)).toContain('(too-slow)');
    expect((await told(1))[0]).toMatchObject({ via: 'tunnel', reason: 'too-slow', address: PUBLIC });
  });

  it('refuses a head that is too long', async () => {
    const { port, told } = await open();
    const answer = await say(port, request.replace('Host', `X: ${'x'.repeat(20_000)}\r\nHost`));
    expect(answer).toContain('(malformed-request)');
    expect((await told(1))[0]).toMatchObject({ reason: 'malformed-request' });
  });

  it('cuts a request on which nothing moves any more', async () => {
    const { port, told } = await open({ limits: { idleMs: 50 } });
    expect(await say(port, request)).toBe('');
    expect((await told(1))[0]).toMatchObject({ verdict: 'allowed', bytesDown: 0 });
  });

  it('gives up on names and addresses that do not answer in time', async () => {
    const stuck = new Promise<readonly string[]>(() => undefined);
    const slow = await open({ limits: { resolveMs: 50 }, resolve: () => stuck });
    expect(await say(slow.port, tunnel)).toContain('(does-not-resolve)');
    await slow.gateway.close();
    const { port, told } = await open({ limits: { connectMs: 50 }, connect: () => new Socket() });
    expect(await say(port, tunnel)).toContain('(upstream-unreachable)');
    expect((await told(1))[0]).toMatchObject({ reason: 'upstream-unreachable', address: PUBLIC });
  });

  it('tries the next vetted address when one does not answer', async () => {
    const tried: string[] = [];
    const { port } = await open({
      resolve: async () => ['1.1.1.1', '8.8.8.8'],
      connect({ address }) {
        tried.push(address);
        return connect({ host: '127.0.0.1', port: address === '8.8.8.8' ? silentPort : 1 });
      },
    });
    (await openTunnel(port, 'good.org:443')).destroy();
    expect(tried).toEqual(['1.1.1.1', '8.8.8.8']);
  });

  it.each([tunnel, request])(
    'lets go of everything when a client leaves while its name is looked up: %j',
    async (head) => {
      let asked: () => void = () => undefined;
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const resolve = () => {
        asked();
        return new Promise<readonly string[]>(() => undefined);
      };
      const { port, told, connected } = await open({ resolve });
      const socket = connect({ host: '127.0.0.1', port }, () => socket.write(head));
      await isAsked;
      socket.resetAndDestroy();
      expect(await told(1)).toHaveLength(1);
      expect(connected).toEqual([]);
    },
  );

  it('tells nothing of a connection that asks for nothing', async () => {
    const { port, attempts, gateway } = await open();
    const socket = connect({ host: '127.0.0.1', port }, () => socket.end());
    await once(socket.resume(), 'close');
    await gateway.close();
    expect(attempts).toEqual([]);
  });

  it('cuts what is open when it is closed, has told everything by then, and serves nobody after', async () => {
    const { port, attempts, gateway } = await open();
    const first = once(silent, 'connection');
    const socket = await openTunnel(port, 'good.org:443');
    const gone = once(socket.resume(), 'end');
    await first;
    const second = once(silent, 'connection');
    const plain = say(port, request);
    await second;
    await gateway.close();
    expect(await plain).toBe('');
    await gone;
    socket.destroy();
    expect(attempts.map(({ via }) => via).sort()).toEqual(['request', 'tunnel']);
    const late: Socket = connect({ host: '127.0.0.1', port });
    const [error] = await once(late, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('dates attempts by the clock that it was given', async () => {
    const at = new Date('2031-02-03T04:05:06Z');
    const { port, told } = await open({ now: () => at });
    await say(port, 'CONNECT other.net:443 HTTP/1.1\r\n\r\n');
    const [attempt] = await told(1);
    expect(attempt?.at).toBe(at);
    expect(attempt?.wallMs).toBeGreaterThanOrEqual(0);
  });
});
