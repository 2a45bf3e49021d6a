import { createReadStream } from 'node:fs';
import { errnoOf, messageOf } from '../base/errors.ts';

/** Longer lines are only possible for calls that fail: the kernel takes far shorter argument lists. */
const MAX_LINE = 32 * 1024 * 1024;
/** The problem of a log whose last line has no line break: cut off, or still being written. */
export const LOG_ENDS_WITHIN_LINE = 'the log ends within a line';

const CHUNK = 1024 * 1024;

interface Carry {
  text: string;
  /** Inside a line that is too long: everything up to its end is dropped. */
  skipping: boolean;
}

/**
 * The whole lines of a log file, many at a time. Memory stays below one line and one chunk. What is wrong with the file
 * (unreadable, a line too long, no line break at the end) goes to `onProblem`; nothing is thrown.
 */
export async function* logLines(path: string, onProblem: (text: string) => void): AsyncGenerator<readonly string[]> {
  const carry: Carry = { text: '', skipping: false };
  try {
    for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: CHUNK })) {
      yield wholeLines(carry, String(chunk), onProblem);
    }
  } catch (error) {
    onProblem(`the log cannot be read: ${errnoOf(error) ?? messageOf(error)}`);
  }
  if (carry.text !== '' || carry.skipping) onProblem(LOG_ENDS_WITHIN_LINE);
}

function wholeLines(carry: Carry, chunk: string, onProblem: (text: string) => void): readonly string[] {
  const lines = `${carry.text}${chunk}`.split('\n');
  carry.text = lines.pop() ?? '';
  if (carry.skipping && lines.length > 0) {
    lines.shift();
    carry.skipping = false;
  }
  if (carry.skipping || carry.text.length > MAX_LINE) {
    if (!carry.skipping) onProblem('a line of the log is too long and was dropped');
    carry.skipping = true;
    carry.text = '';
  }
  return lines;
}
