import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { processMark } from './process-mark.ts';
import { readFirstProcess, readWaitStatus } from './status-stream.ts';

async function write(stream: PassThrough, ...chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    stream.write(chunk);
    await new Promise(setImmediate);
  }
}

test('the first process is told as soon as bwrap tells it, with a mark that names this life of the pid', async () => {
  const stream = new PassThrough();
  const first = readFirstProcess(stream);
  await write(stream, `{ "child-pid": ${process.pid}, "ipc-namespace": 4026 }\n`);
  expect(await first).toEqual({ pid: process.pid, mark: processMark(process.pid) });
  expect(processMark(process.pid)).toMatch(/^\d+:\d+$/);
});

test('a pid that comes in pieces is put together, not cut', async () => {
  const stream = new PassThrough();
  const first = readFirstProcess(stream);
  await write(stream, '{ "chi', 'ld-pid": 99', '9999', '99 }');
  expect(await first).toEqual({ pid: 99_999_999, mark: null });
});

test('a bwrap that fails before the program starts, or whose stream breaks, tells none', async () => {
  const [ended, broken] = [new PassThrough(), new PassThrough()];
  const [one, two] = [readFirstProcess(ended), readFirstProcess(broken)];
  ended.resume().end();
  broken.destroy(new Error('broken pipe'));
  expect([await one, await two]).toEqual([null, null]);
});

test('what comes after 16 KiB is not looked at', async () => {
  const stream = new PassThrough();
  const first = readFirstProcess(stream);
  await write(stream, 'x'.repeat(16_385), '{ "child-pid": 1 }');
  stream.end();
  expect(await first).toBeNull();
});

test('a wait status is told apart: exit codes and signals', async () => {
  for (const [raw, status] of [
    [0, { code: 0 }],
    [35_584, { code: 139 }],
    [11, { signal: 11 }],
    [139, { signal: 11 }],
  ] as const) {
    const stream = new PassThrough();
    const told = readWaitStatus(stream);
    expect(told()).toBeNull();
    await write(stream, 'ended ', `${raw}\n`);
    expect(told()).toEqual(status);
  }
});

test('nothing but a whole line of the first process is a wait status', async () => {
  for (const text of [
    'ended',
    'ended x\n',
    'x\nended 0\n',
    'ended -1\n',
    'ended 12',
    'failed to limit 7: no\nended 32000\n',
  ]) {
    const stream = new PassThrough();
    const told = readWaitStatus(stream);
    await write(stream, text);
    expect([text, told()]).toEqual([text, null]);
  }
});
