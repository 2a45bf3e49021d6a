import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openGateStreams } from './streams.ts';

const WORD = 'f'.repeat(32);

/** What an engine sends, as it frames it. */
function frame(stream: 1 | 2, text: string | Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

/** An engine's end of the streams, by hand. */
function engine() {
  const sent: Buffer[] = [];
  const duplex = new Duplex({
    read: () => undefined,
    write(chunk, _, done) {
      sent.push(chunk);
      done();
    },
  });
  return { duplex, sent: () => Buffer.concat(sent).toString(), say: (bytes: Buffer | null) => duplex.push(bytes) };
}

async function said(bytes: Buffer, cut: number) {
  const { duplex, say } = engine();
  const { streams, ended, status } = openGateStreams(duplex, WORD);
  const read = Promise.all([buffer(streams.stdout), buffer(streams.stderr)]);
  for (let at = 0; at < bytes.length; at += cut) say(bytes.subarray(at, at + cut));
  say(null);
  await ended;
  const [stdout, stderr] = await read;
  return { stdout: stdout.toString(), stderr: stderr.toString(), status: status() };
}

test.each([1, 3, 8, 9, 10_000])(
  'streams are told apart and the gate is not in them, in pieces of %d bytes',
  async (cut) => {
    const long = 'e'.repeat(500);
    const all = Buffer.concat([
      ...[frame(2, 'ready\n'), frame(1, 'out'), frame(2, long), frame(1, ''), frame(1, 'put')],
      frame(2, `\n${WORD} ended 768\n`),
    ]);
    expect(await said(all, cut)).toEqual({ stdout: 'output', stderr: `${long}\n`, status: 768 });
  },
);

test('a program’s errors that end like a gate’s last word, without the word, are its errors', async () => {
  const forged = `${'0'.repeat(32)} ended 0\n`;
  const all = Buffer.concat([frame(2, 'ready\n'), frame(2, forged)]);
  expect(await said(all, 7)).toEqual({ stdout: '', stderr: forged, status: null });
});

test('a container that ends before its gate is ready says why', async () => {
  const { duplex, say } = engine();
  const gate = openGateStreams(duplex, WORD);
  gate.streams.stdout.resume();
  say(frame(2, 'perl: not found\n'));
  say(null);
  await expect(gate.ready).rejects.toThrow('perl: not found');
  expect(gate.status()).toBeNull();
});

test('input goes behind the command, however early it is written, and its end is passed on', async () => {
  const { duplex, sent, say } = engine();
  const gate = openGateStreams(duplex, WORD);
  gate.streams.stdin.end('input');
  say(frame(2, 'ready\n'));
  await gate.ready;
  expect(sent()).toBe('');
  gate.begin(Buffer.from('command'));
  await expect.poll(() => duplex.writableFinished).toBe(true);
  expect(sent()).toBe('commandinput');
});

test('a reader that does not read holds the engine back', async () => {
  const { duplex, say } = engine();
  openGateStreams(duplex, WORD);
  say(frame(1, Buffer.alloc(100_000)));
  await expect.poll(() => duplex.isPaused()).toBe(true);
});

test('streams that break are an error, not an end', async () => {
  const { duplex } = engine();
  const gate = openGateStreams(duplex, WORD);
  duplex.destroy(new Error('reset'));
  await expect(gate.ended).rejects.toThrow('reset');
  expect(gate.isEnded()).toBe(true);
});
