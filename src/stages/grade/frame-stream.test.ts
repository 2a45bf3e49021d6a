import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openFrameStream, StreamLost } from './frame-stream.ts';

const MAX = 100;

/** A frame's bytes as the other side writes them. */
function frame(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length);
  return Buffer.concat([head, bytes]);
}

function open() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const frames = openFrameStream(input, output, MAX);
  const next = async () => (await frames.next(5_000)).toString();
  const why = () =>
    frames.next(5_000).then(
      (body) => `frame ${body}`,
      (thrown: unknown) => (thrown instanceof StreamLost ? thrown.why : thrown),
    );
  return { input, output, frames, next, why };
}

test('a value is sent as four big-endian length bytes and its JSON', () => {
  const { frames, output } = open();
  frames.send({ op: 'draw', text: 'é' });
  const sent = output.read() as Buffer;
  expect(sent.readUInt32BE(0)).toBe(sent.length - 4);
  expect(sent.subarray(4).toString()).toBe('{"op":"draw","text":"é"}');
});

test('frames that arrive together come out one by one', async () => {
  const { input, next } = open();
  input.write(Buffer.concat([frame('one'), frame(''), frame('three')]));
  expect([await next(), await next(), await next()]).toEqual(['one', '', 'three']);
});

test('a frame that arrives byte by byte is put together', async () => {
  const { input, next } = open();
  const asked = next();
  for (const byte of frame('slowly')) {
    input.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  expect(await asked).toBe('slowly');
});

test('a frame of the largest size is taken, again and again', async () => {
  const { input, next } = open();
  const largest = 'x'.repeat(MAX);
  for (let round = 0; round < 20; round++) input.write(frame(largest));
  for (let round = 0; round < 20; round++) expect(await next()).toBe(largest);
});

test.each([MAX + 1, 0x7fffffff, 0xffffffff])(
  'a frame that claims %i bytes is refused before it is gathered',
  async (length) => {
    const { input, why } = open();
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    input.write(head);
    expect(await why()).toBe('too-large');
  },
);

test('after a frame out of bounds nothing on the stream is believed', async () => {
  const { input, next, why } = open();
  input.write(Buffer.concat([frame('good'), Buffer.from([255, 255, 255, 255]), frame('forged')]));
  expect(await next()).toBe('good');
  expect([await why(), await why()]).toEqual(['too-large', 'too-large']);
});

test('whole frames are taken from a stream that has ended, then it is closed', async () => {
  const { input, next, why } = open();
  input.end(Buffer.concat([frame('last'), frame('cut').subarray(0, 5)]));
  await new Promise(setImmediate);
  expect(await next()).toBe('last');
  expect(await why()).toBe('closed');
});

test('a reader that waits is told when the stream ends or breaks', async () => {
  const [ending, breaking] = [open(), open()];
  const waiting = [ending.why(), breaking.why()];
  ending.input.end();
  breaking.input.destroy(new Error('broken pipe'));
  expect(await Promise.all(waiting)).toEqual(['closed', 'closed']);
});

test('an answer that does not come in time is late, however busily it trickles', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { input, frames } = open();
  const asked = frames.next(1_000).catch((thrown: unknown) => thrown);
  for (const byte of frame('never whole').subarray(0, 9)) {
    input.write(Buffer.from([byte]));
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(200);
  expect(await asked).toMatchObject({ why: 'late' });
});

test('a writer that floods is held back instead of filling memory', async () => {
  const { input, next } = open();
  for (let round = 0; round < 50; round++) input.write(frame('x'.repeat(MAX)));
  await new Promise(setImmediate);
  expect(input.isPaused()).toBe(true);
  expect(input.readableLength).toBeGreaterThan(0);
  for (let round = 0; round < 50; round++) expect(await next()).toHaveLength(MAX);
});
