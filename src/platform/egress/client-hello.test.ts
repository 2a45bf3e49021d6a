import { createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { MAX_CLIENT_HELLO_BYTES, readClientHello } from './client-hello.ts';

/** The bytes that node's own TLS client begins with. */
function realHello(servername: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        socket.destroy();
        server.close();
        resolve(bytes);
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      connectTls({ host: '127.0.0.1', port: address.port, servername }).on('error', () => undefined);
    });
  });
}

const vector = (bytes: number, content: Buffer) => {
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(content.length, 0, bytes);
  return Buffer.concat([length, content]);
};
const extension = (type: number, content: Buffer) => Buffer.concat([Buffer.from([0, type]), vector(2, content)]);
const hostEntry = (name: string) => Buffer.concat([Buffer.from([0]), vector(2, Buffer.from(name, 'latin1'))]);
const serverName = (...names: string[]) => extension(0, vector(2, Buffer.concat(names.map(hostEntry))));
const record = (payload: Buffer) => Buffer.concat([Buffer.from([22, 3, 1]), vector(2, payload)]);
const handshake = (body: Buffer) => Buffer.concat([Buffer.from([1]), vector(3, body)]);
const body = (extensions: Buffer | null) =>
  Buffer.concat([
    Buffer.alloc(34, 7),
    vector(1, Buffer.alloc(32)),
    vector(2, Buffer.from([0x13, 1])),
    vector(1, Buffer.from([0])),
    extensions === null ? Buffer.alloc(0) : vector(2, extensions),
  ]);
const hello = (...extensions: Buffer[]) => handshake(body(Buffer.concat(extensions)));

describe('the ClientHello reader', () => {
  it('reads the name from a real one, whatever follows, and not before the last byte is there', async () => {
    const bytes = await realHello('Files.Example.org');
    const found = { kind: 'name', name: 'Files.Example.org' };
    expect(readClientHello(bytes)).toEqual(found);
    expect(readClientHello(Buffer.concat([bytes, Buffer.from('anything')]))).toEqual(found);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(readClientHello(bytes.subarray(0, length)).kind).toBe('incomplete');
    }
  });

  it('says that a real one has no name', async () => {
    expect(readClientHello(await realHello('')).kind).toBe('no-name');
    expect(readClientHello(record(handshake(body(null)))).kind).toBe('no-name');
  });

  it('reads one that is spread over many records, down to one byte each', () => {
    const whole = hello(extension(16, Buffer.alloc(3)), serverName('a.org'));
    for (const size of [1, 3, 40, 90]) {
      const records: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) records.push(record(whole.subarray(at, at + size)));
      expect(readClientHello(Buffer.concat(records))).toEqual({ kind: 'name', name: 'a.org' });
      expect(readClientHello(Buffer.concat(records.slice(0, -1))).kind).toBe('incomplete');
    }
  });

  it.each([
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a single foreign byte', Buffer.from('S')],
    ['SSL 2', Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ['a foreign version', Buffer.from([22, 4])],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record that is too long', Buffer.from([22, 3, 1, 0x40, 1])],
    ['another handshake message', record(Buffer.from([2, 0, 0, 1, 0]))],
    ['a hello longer than the limit', record(Buffer.from([1, 0xff, 0xff, 0xff]))],
    ['a hello cut off by an alert', Buffer.concat([record(hello(serverName('a')).subarray(0, 20)), Buffer.from([21])])],
    ['two names', record(hello(serverName('a.org', 'b.org')))],
    ['two name extensions', record(hello(serverName('a.org'), serverName('b.org')))],
    ['an empty name', record(hello(serverName('')))],
    ['an empty name list', record(hello(extension(0, vector(2, Buffer.alloc(0)))))],
    ['an empty name extension', record(hello(extension(0, Buffer.alloc(0))))],
    ['a foreign name type', record(hello(extension(0, vector(2, Buffer.from([1, 0, 1, 65])))))],
    ['bytes behind the extensions', record(handshake(Buffer.concat([body(Buffer.alloc(0)), Buffer.from([1])])))],
    ['an extension that is longer than the hello', record(hello(Buffer.from([0, 0, 0xff, 0xff, 0])))],
    ['half an extension', record(hello(Buffer.from([0])))],
    ['a body without a session', record(handshake(Buffer.alloc(34)))],
    ['a body shorter than its random', record(handshake(Buffer.alloc(10)))],
    ['an empty body', record(handshake(Buffer.alloc(0)))],
  ])('does not take %s for TLS', (_what, bytes) => {
    expect(readClientHello(bytes).kind).toBe('not-tls');
  });

  it('stops to wait at the limit', () => {
    const endless = Buffer.concat(Array.from({ length: 4_000 }, () => record(Buffer.from([1]))));
    const slow = Buffer.concat([record(Buffer.from([1, 0, 0x3f, 0xf0])), endless]).subarray(0, MAX_CLIENT_HELLO_BYTES);
    expect(readClientHello(slow.subarray(0, -1)).kind).toBe('incomplete');
    expect(readClientHello(slow).kind).toBe('not-tls');
  });

  it('answers to any damage of a hello without throwing', () => {
    const bytes = record(hello(extension(43, Buffer.alloc(5)), serverName('a.org')));
    for (let at = 0; at < bytes.length; at += 1) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        expect(['incomplete', 'not-tls', 'no-name', 'name']).toContain(readClientHello(damaged).kind);
      }
    }
  });
});
