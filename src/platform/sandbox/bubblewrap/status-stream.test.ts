import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readStatus } from './status-stream.ts';

/** A status stream with all that was written to it read. */
async function told(...chunks: readonly string[]) {
  const stream = new PassThrough();
  const status = readStatus(stream);
  for (const chunk of chunks) {
    stream.write(chunk);
    await new Promise(setImmediate);
  }
  const end = async () => {
    stream.end();
    await once(stream, 'close');
  };
  return { stream, status, end };
}

test('the pid is told as soon as bwrap tells it and the exit code at the end', async () => {
  const { stream, status, end } = await told('{ "child-pid": 4711, "ipc-namespace": 4026 }\n');
  expect(await status.childPid).toBe(4711);
  expect(status.exitCode()).toBeNull();
  stream.write('{ "exit-code": 137 }\n');
  await end();
  expect(status.exitCode()).toBe(137);
});

test('lines that come in pieces are put together', async () => {
  const { status, end } = await told('{ "chi', 'ld-pid": ', '12 }\n{ "exit', '-code": 0 }');
  await end();
  expect(await status.childPid).toBe(12);
  expect(status.exitCode()).toBe(0);
});

test('a bwrap that fails before the program starts tells neither', async () => {
  const { status, end } = await told();
  await end();
  expect(await status.childPid).toBeNull();
  expect(status.exitCode()).toBeNull();
});

test('a stream that breaks tells no pid', async () => {
  const { stream, status } = await told('{ "child-');
  stream.destroy(new Error('broken pipe'));
  expect(await status.childPid).toBeNull();
});

test('what comes after 16 KiB is not gathered', async () => {
  const { status, end } = await told('x'.repeat(16_384), '{ "child-pid": 1 }{ "exit-code": 0 }');
  await end();
  expect(await status.childPid).toBeNull();
  expect(status.exitCode()).toBeNull();
});
