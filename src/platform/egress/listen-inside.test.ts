import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../test/support/egress-kit.ts';
import { parseAllowList } from './allow-list.ts';
import { watchDirectAttempts } from './direct-attempts.ts';
import { openGateway } from './gateway.ts';
import { GATEWAY_PORT, listenInside } from './listen-inside.ts';

const hasRoot = process.getuid?.() === 0;
const hasNft = ['/usr/sbin/nft', '/sbin/nft'].some((path) => existsSync(path));

let holder: ChildProcess;
let pid: number;

/** A process in a network namespace of its own, whose loopback is up. */
async function openNamespace(): Promise<void> {
  holder = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo up && exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  pid = holder.pid ?? 0;
  if (holder.stdout) await once(holder.stdout, 'data');
}

/** Runs Python inside the namespace; what it prints. */
function inside(code: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const command = [`--net=/proc/${pid}/ns/net`, 'python3', '-I', '-c', code];
    execFile('nsenter', command, { timeout: 20_000 }, (error, output) => (error ? reject(error) : resolve(output)));
  });
}

const CLIENT = `
import socket, sys
def attempt(kind, address, family=socket.AF_INET):
    s = socket.socket(family, kind)
    s.settimeout(10)
    try:
        s.connect(address)
        s.send(b"GET http://other.net/ HTTP/1.1\\r\\nHost: other.net\\r\\n\\r\\n")
        print(s.recv(4096).decode() if kind == socket.SOCK_STREAM else "sent")
    except OSError as error:
        print(type(error).__name__)
`;

describe.skipIf(!hasRoot)(`inside a network namespace${hasRoot ? '' : ' (not here: it needs root)'}`, () => {
  beforeEach(openNamespace);
  afterEach(() => {
    holder.kill('SIGKILL');
  });

  it('a client reaches the gateway that serves out here, and nothing of this host', async () => {
    const host: Server = createServer((socket) => socket.end('host'));
    const hostPort = await listen(host);
    const reasons: unknown[] = [];
    const gateway = openGateway({ allow: parseAllowList([]), onAttempt: ({ reason }) => reasons.push(reason) });
    gateway.serve(await listenInside({ pid }));
    const calls = [GATEWAY_PORT, hostPort].map((port) => `attempt(socket.SOCK_STREAM, ("127.0.0.1", ${port}))`);
    const said = await inside(`${CLIENT}\n${calls.join('\n')}`);
    expect(said).toMatch(/^HTTP\/1\.1 403 Forbidden[\s\S]*host-not-allowed\)\n\nConnectionRefusedError\n$/);
    expect(reasons).toEqual(['host-not-allowed']);
    await gateway.close();
    host.close();
    expect(await inside(`${CLIENT}\n${calls[0]}`)).toBe('ConnectionRefusedError\n');
  });

  it('serves every one of many clients: the helper that listened accepts none', async () => {
    const gateway = openGateway({ allow: parseAllowList([]), onAttempt: () => undefined });
    gateway.serve(await listenInside({ pid, port: 3129 }));
    const said = await inside(`${CLIENT}\nfor _ in range(100): attempt(socket.SOCK_STREAM, ("127.0.0.1", 3129))`);
    expect(said.match(/403 Forbidden/g)).toHaveLength(100);
    await gateway.close();
  });

  it('a port that is taken is refused with the reason', async () => {
    const server = await listenInside({ pid });
    await expect(listenInside({ pid })).rejects.toMatchObject({
      code: 'sandbox-failed',
      message: expect.stringContaining('EADDRINUSE'),
    });
    server.close();
  });

  it.skipIf(!hasNft)(
    `direct attempts fail at once and are counted${hasNft ? '' : ' (not here: apt-get install nftables)'}`,
    async () => {
      const attempts = await watchDirectAttempts({ pid });
      const server = await listenInside({ pid });
      const said = await inside(`${CLIENT}
attempt(socket.SOCK_STREAM, ("203.0.113.7", 80))
attempt(socket.SOCK_DGRAM, ("203.0.113.7", 53))
attempt(socket.SOCK_STREAM, ("2001:db8::7", 443), socket.AF_INET6)
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
try: s.sendto(bytes(8), ("203.0.113.9", 0))
except OSError as error: print(type(error).__name__)`);
      expect(said.split('\n').slice(0, 3)).toEqual([
        'ConnectionRefusedError',
        'PermissionError',
        'ConnectionRefusedError',
      ]);
      holder.kill('SIGKILL'); // the counts outlive the sandbox
      await once(holder, 'exit');
      const counts = await attempts.read();
      expect(counts.uncounted).toBe(0);
      expect(counts.attempts).toHaveLength(4);
      for (const [protocol, address, port] of [
        ['tcp', '203.0.113.7', 80],
        ['udp', '203.0.113.7', 53],
        ['tcp', '2001:db8::7', 443],
        ['icmp', '203.0.113.9', 0],
      ]) {
        expect(counts.attempts).toContainEqual({ protocol, address, port, packets: expect.any(Number) });
      }
      attempts.close();
      server.close();
    },
  );

  it.skipIf(!hasNft)(
    `destinations that no longer fit are counted together${hasNft ? '' : ' (not here: apt-get install nftables)'}`,
    async () => {
      const attempts = await watchDirectAttempts({ pid });
      await inside(`
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for port in range(1, 5001):
    try: s.sendto(b"x", ("203.0.113.7", port))
    except OSError: pass`);
      const counts = await attempts.read();
      expect(counts.attempts).toHaveLength(4096);
      expect(counts.uncounted).toBe(5000 - 4096);
      await expect(watchDirectAttempts({ pid })).rejects.toMatchObject({ code: 'sandbox-failed' });
      attempts.close();
    },
  );
});

describe('a namespace that is not a sandbox', () => {
  it('is refused: that of this process, which is the host, and that of nobody', async () => {
    for (const other of [process.pid, 2 ** 30]) {
      await expect(listenInside({ pid: other })).rejects.toMatchObject({ code: 'sandbox-failed' });
    }
    if (hasNft)
      await expect(watchDirectAttempts({ pid: process.pid })).rejects.toMatchObject({ code: 'sandbox-failed' });
  });
});
