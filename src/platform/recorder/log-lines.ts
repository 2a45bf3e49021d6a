import { open } from 'node:fs/promises';
import { errnoOf, messageOf } from '../base/errors.ts';
import { LineCarry } from './line-carry.ts';

/** The problem of a log whose last line has no line break: cut off, or still being written. */
export const LOG_ENDS_WITHIN_LINE = 'the log ends within a line';

/** So much is parsed in a few milliseconds. */
const CHUNK = 128 * 1024;

/**
 * The whole lines of a log file, many at a time. Memory stays below one line and one chunk. It ends where the file ended
 * when it was opened: a program that goes on writing cannot keep the reader busy for ever. What is wrong with the file
 * (unreadable, a line too long, no line break at the end) goes to `onProblem`; nothing is thrown.
 */
export async function* logLines(path: string, onProblem: (text: string) => void): AsyncGenerator<readonly string[]> {
  const carry = new LineCarry();
  try {
    for await (const chunk of chunksOf(path)) yield wholeLines(carry, chunk, onProblem);
  } catch (error) {
    onProblem(`the log cannot be read: ${errnoOf(error) ?? messageOf(error)}`);
  }
  if (!carry.empty) onProblem(LOG_ENDS_WITHIN_LINE);
}

async function* chunksOf(path: string): AsyncGenerator<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(CHUNK, size));
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.toString('latin1', 0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function wholeLines(carry: LineCarry, chunk: string, onProblem: (text: string) => void): readonly string[] {
  const lines = chunk.split('\n');
  const rest = lines.pop() ?? '';
  const first = lines[0];
  if (first !== undefined) {
    carry.add(first);
    const whole = carry.take();
    if (whole === null) {
      onProblem('a line of the log is too long and was dropped');
      lines.shift();
    } else lines[0] = whole;
  }
  carry.add(rest);
  return lines;
}
