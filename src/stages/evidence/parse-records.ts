import { quoted } from '../../platform/base/beneath.ts';
import { messageOf, ProctorError } from '../../platform/base/errors.ts';
import { type JsonBounds, parseHostileJson } from '../../platform/base/safe-json.ts';

/** The largest text of records that is looked at. */
export const MAX_RECORDS_BYTES = 128 * 1024 * 1024;

const BOUNDS: JsonBounds = { maxBytes: MAX_RECORDS_BYTES, maxDepth: 16, maxNodes: 4_000_000 };

/**
 * The records in a text that somebody else wrote: one JSON object, a JSON array of them, or one on each line. What is in them
 * is not looked at. Throws `bad-request` for what is neither, `too-large` for too much.
 */
export function parseRecords(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new ProctorError('bad-request', 'the file is empty: no evidence record is in it');
  const values = isJsonLines(lines) ? lines.map((line, index) => parse(line, `record ${index + 1}`)) : whole(text);
  const odd = values.findIndex((value) => typeof value !== 'object' || value === null || Array.isArray(value));
  if (odd !== -1) throw new ProctorError('bad-request', `no evidence record: value ${odd + 1} is not a JSON object`);
  if (values.length === 0) throw new ProctorError('bad-request', 'the list is empty: no evidence record is in it');
  return values;
}

function whole(text: string): readonly unknown[] {
  const value = parse(text, 'the file');
  return Array.isArray(value) ? value : [value];
}

/** Whether the first of several lines is a value of its own; else they are one document. */
function isJsonLines(lines: readonly string[]): boolean {
  const [first = ''] = lines;
  if (lines.length === 1 || !first.trimStart().startsWith('{')) return false;
  try {
    parse(first, '');
    return true;
  } catch {
    return false;
  }
}

function parse(text: string, what: string): unknown {
  try {
    return parseHostileJson(text, BOUNDS);
  } catch (thrown) {
    const code = thrown instanceof ProctorError ? thrown.code : 'bad-request';
    // the parser's words may quote the text, which may hold anything
    throw new ProctorError(code, `${what} cannot be read: ${quoted(messageOf(thrown))}`);
  }
}
