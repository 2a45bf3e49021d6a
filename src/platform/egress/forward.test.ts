import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen, openRig, PUBLIC, type Rig, say } from '../../../test/support/egress-kit.ts';
import type { GatewayOptions } from './settings.ts';

let upstream: Server;
let upstreamPort: number;
let seen: { request: IncomingMessage; body: string }[];
let rig: Rig | null = null;

beforeEach(async () => {
  seen = [];
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ request, body });
      if (request.url === '/moved') response.writeHead(302, { location: 'http://10.0.0.1/' });
      response.end(`hello ${request.url}`);
    });
  });
  upstreamPort = await listen(upstream);
});

afterEach(async () => {
  await rig?.gateway.close();
  rig = null;
  upstream.close();
});

async function open(options: Partial<GatewayOptions> = {}, port = upstreamPort): Promise<Rig> {
  rig = await openRig({ 80: port }, options);
  return rig;
}

const get = (url: string, ...headers: string[]) =>
  `GET ${url} HTTP/1.1\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;

describe('a plain request', () => {
  it('reaches an allowed host, and is told with its address and its bytes', async () => {
    const { port, told, connected } = await open();
    const answer = await say(port, get('http://WWW.good.org./a/../b?c=d', 'Host: www.Good.org', 'X-Mine: 1'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close[\s\S]*hello \/b\?c=d/i);
    expect(seen[0]?.request.headers).toEqual({ host: 'www.good.org', 'x-mine': '1', connection: 'close' });
    expect(connected).toEqual([{ address: PUBLIC, port: 80 }]);
    const [attempt] = await told(1);
    expect(attempt).toMatchObject({
      via: 'request',
      host: 'WWW.good.org.',
      port: 80,
      verdict: 'allowed',
      reason: null,
    });
    expect(attempt?.address).toBe(PUBLIC);
    expect(attempt?.bytesUp).toBeGreaterThan(50);
    expect(attempt?.bytesDown).toBeGreaterThan(50);
  });

  it('passes a redirect through and does not follow it', async () => {
    const { port, connected } = await open();
    expect(await say(port, get('http://good.org/moved', 'Host: good.org'))).toContain('location: http://10.0.0.1/');
    expect(connected).toHaveLength(1);
  });

  it('drops headers of the connection, those that Connection names too, but never the framing of the body', async () => {
    const { port } = await open();
    const hop = ['Connection: X-Drop, content-length, host', 'X-Drop: 1', 'Keep-Alive: 5', 'TE: trailers'];
    const more = ['Proxy-Authorization: secret', 'Proxy-Connection: keep-alive', 'Upgrade: h2c', 'Content-Length: 5'];
    const post = get('http://good.org/', 'Host: good.org', ...hop, ...more).replace('GET', 'POST');
    await say(port, `${post}12345`);
    expect(seen[0]?.body).toBe('12345');
    expect(seen[0]?.request.headers).toEqual({ host: 'good.org', 'content-length': '5', connection: 'close' });
  });

  it('carries a chunked body, and answers a client that waits to be told to go on', async () => {
    const { port } = await open();
    const head = get('http://good.org/', 'Host: good.org', 'Transfer-Encoding: chunked', 'Expect: 100-continue');
    const answer = await say(port, `${head.replace('GET', 'PUT')}3\r\nabc\r\n0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
    expect(seen[0]?.body).toBe('abc');
  });

  it.each(['GET http://good.org/2', 'CONNECT good.org:443'])(
    'cuts a connection that pipelines %s behind its request, and tells of both',
    async (second) => {
      const { port, told } = await open();
      const one = get('http://good.org/1', 'Host: good.org');
      expect(await say(port, one + one.replace('GET http://good.org/1', second))).toBe('');
      expect((await told(2)).map(({ reason }) => reason).sort()).toEqual(['malformed-request', null]);
    },
  );

  it.each([
    ['host-not-allowed', 'http://other.net/', 'other.net'],
    ['host-not-allowed', 'http://good.org.evil.net/', 'good.org.evil.net'],
    ['port-not-allowed', 'http://good.org:22/', 'good.org:22'],
    ['address-literal', 'http://93.184.216.34/', '93.184.216.34'],
    ['address-literal', 'http://127.1/', '127.1'],
    ['address-literal', 'http://2130706433/', '2130706433'],
    ['address-literal', 'http://0x7f.0.0.1/', '0x7f.0.0.1'],
    ['address-literal', 'http://0177.0.0.1/', '0177.0.0.1'],
    ['address-literal', 'http://[::ffff:127.0.0.1]:80/', '[::ffff:127.0.0.1]:80'],
    ['address-literal', 'http://1.2.3.4.5/', '1.2.3.4.5'],
    ['host-header-mismatch', 'http://good.org/', 'other.net'],
    ['host-header-mismatch', 'http://good.org/', 'www.good.org'],
    ['host-header-mismatch', 'http://good.org/', 'good.org:8080'],
    ['host-header-mismatch', 'http://good.org/', 'good.org\r\nHost: other.net'],
    ['host-header-mismatch', 'http://good.org/', ''],
    ['private-address', 'http://inside.good.org/', 'inside.good.org'],
    ['private-address', 'http://mixed.good.org/', 'mixed.good.org'],
    ['malformed-request', 'http://other.net@good.org/', 'good.org'],
    ['malformed-request', 'http://go%6fd.org/', 'good.org'],
    ['malformed-request', 'http://good.org:0/', 'good.org'],
    ['malformed-request', 'http:///', 'good.org'],
    ['malformed-request', 'https://good.org/', 'good.org'],
    ['malformed-request', 'ftp://good.org/', 'good.org'],
    ['malformed-request', 'http://good.org/', 'good.org\r\nTransfer-Encoding: gzip, chunked'],
    ['malformed-request', 'http://good.org/', 'good.org\r\nContent-Length: 1\r\nTransfer-Encoding: chunked'],
    ['malformed-request', 'http://good.org/', 'good.org\r\nContent-Length: 1\r\nContent-Length: 2'],
    ['not-a-proxy-request', '/', 'good.org'],
    ['not-a-proxy-request', '*', 'good.org'],
  ])('is refused as %s: %s with the Host %j', async (reason, url, host) => {
    const { port, told, connected } = await open();
    const answer = await say(port, get(url, `Host: ${host}`).replace('GET *', 'OPTIONS *'));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(new RegExp(`\r\n\r\nproctor egress: .* \\(${reason}\\)\n$`));
    expect(await told(1)).toEqual([expect.objectContaining({ verdict: 'refused', reason, bytesUp: 0, bytesDown: 0 })]);
    expect(connected).toEqual([]);
  });

  it('is refused without a Host header, and on bytes that are no HTTP', async () => {
    const { port, told } = await open();
    expect(await say(port, get('http://good.org/'))).toContain('(host-header-mismatch)');
    expect(await say(port, '\u0016\u0003\u0001 no http\r\n\r\n')).toContain('(malformed-request)');
    expect((await told(2)).map(({ reason }) => reason)).toEqual(['host-header-mismatch', 'malformed-request']);
  });

  it('shows a hostile host name escaped and cut', async () => {
    const { port, told } = await open();
    await say(port, get(`http://\u00e9\\${'x'.repeat(400)}/`, 'Host: a'));
    await say(port, get(`http://${'x'.repeat(400)}/`, 'Host: a'));
    const hosts = (await told(2)).map(({ host }) => host);
    for (const host of hosts) expect(host).toMatch(/^[ -~]{0,255}$/);
    expect(hosts[1]).toHaveLength(255);
  });
});

describe('a plain request to an upstream that misbehaves', () => {
  it.each([
    ['nothing', ''],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['two framings', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a status that is none', 'HTTP/1.1 099 X\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
  ])('is answered 502 after %s', async (_what, answer) => {
    const bad = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer)));
    const { port, told } = await open({}, await listen(bad));
    expect(await say(port, get('http://good.org/', 'Host: good.org'))).toMatch(/^HTTP\/1\.1 502 /);
    await told(1);
    bad.close();
  });

  it.each([
    'HTTP/1.1 200 O\u0001K\r\nX: 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX: a\u0001b\r\n\r\n',
    'HTTP/1.1 999 \u0000\r\n\r\n',
  ])('hands nothing of %j on that a client should not see', async (head) => {
    const bad = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(head)));
    const { port, told } = await open({}, await listen(bad));
    const answer = await say(port, get('http://good.org/', 'Host: good.org'));
    expect(answer).toMatch(/^HTTP\/1\.1 (200|502|999) [ -~\r\n]*$/);
    await told(1);
    bad.close();
  });

  it('is cut when the answer is cut, so that nobody takes it for whole', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n';
    const bad = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(head)));
    const { port } = await open({}, await listen(bad));
    const answer = await say(port, get('http://good.org/', 'Host: good.org'));
    expect(answer).toContain('hello');
    expect(answer).not.toMatch(/0\r\n\r\n$/);
    bad.close();
  });

  it('is told as unreachable when nobody listens, and as not resolving when the name does not', async () => {
    const { port, told } = await open({}, 1);
    const asked = (host: string) => say(port, get(`http://${host}/`, `Host: ${host}`));
    expect(await asked('good.org')).toMatch(/^HTTP\/1\.1 502 [\s\S]*\(upstream-unreachable\)/);
    expect(await asked('none.good.org')).toMatch(/^HTTP\/1\.1 502 [\s\S]*\(does-not-resolve\)/);
    expect((await told(2)).map(({ address }) => address)).toEqual([PUBLIC, null]);
  });
});
