import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { LOG_ENDS_WITHIN_LINE, logLines } from './log-lines.ts';
import { readStraceLog } from './read-strace-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'log-lines-'));
const path = join(folder, 'log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let problems: string[] = [];
beforeEach(() => {
  problems = [];
});

/** The lines of the file with this text; `meanwhile` is written behind it for each part that is read. */
async function linesOf(text: string, meanwhile = ''): Promise<string[]> {
  writeFileSync(path, text);
  const lines: string[] = [];
  for await (const part of logLines(path, (problem) => problems.push(problem))) {
    lines.push(...part);
    appendFileSync(path, meanwhile);
  }
  return lines;
}

test('a file that grows while it is read ends where it ended when reading began', async () => {
  const text = 'one\n'.repeat(100_000);
  expect(await linesOf(text, 'more\n'.repeat(100_000))).toEqual(text.trim().split('\n'));
  expect(problems).toEqual([]);
});

test('an empty file has no lines, and one without a last line break is told', async () => {
  expect(await linesOf('')).toEqual([]);
  expect(problems).toEqual([]);
  expect(await linesOf('one\ntwo')).toEqual(['one']);
  expect(problems).toEqual([LOG_ENDS_WITHIN_LINE]);
});

test('lines over the ends of parts come whole', async () => {
  const lines = Array.from({ length: 300 }, (_, n) => `${n}`.repeat(1 + n * 7));
  expect(await linesOf(`${lines.join('\n')}\n`)).toEqual(lines);
});

test('a very long line that is no execution is dropped, and told', async () => {
  expect(await linesOf(`a\n${'x'.repeat(3_000_000)}\nb\n`)).toEqual(['a', 'b']);
  expect(problems).toEqual(['a line of the log is too long and was dropped']);
});

test('an execution with endless arguments is read in bounded time, and its forged ends stay text', async () => {
  const hostile = '\\\\\\", \\"], 0x0) = 0 +++ <unfinished ...> [{('.repeat(90);
  const list = Array.from({ length: 9000 }, () => `"${hostile}"...`).join(', ');
  const line = `1 1.000000 execve("/bin/true", ["t", ${list}, ...], 0x7ffc /* 3 vars */) = -1 E2BIG (Argument list too long)`;
  writeFileSync(path, `${line}\n1 1.000001 unlink("/x") = 0\n1 1.000002 +++ exited with 0 +++\n`);
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const record = await readStraceLog({ log: path, after: null, maxEvents: 100 });
  clearInterval(watch);
  expect(record).toMatchObject({ complete: true, problems: [] });
  expect(record.events).toMatchObject([
    { type: 'process.executed', outcome: 'E2BIG', path: '/bin/true', argvCut: true },
    { type: 'file.removed', path: '/x' },
    { type: 'process.ended' },
  ]);
  const [execution] = record.events;
  expect(execution?.type === 'process.executed' && execution.argv.length).toBe(17);
  // generous: the machine that runs this may be busy
  expect(longest).toBeLessThan(200);
});
