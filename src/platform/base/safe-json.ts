import { ProctorError } from './errors.ts';

/** Bounds on JSON that comes from outside. */
export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/**
 * Parses JSON that somebody else wrote. Refuses (`bad-request`) what is too long, too deep, names `__proto__`,
 * or holds a number that is not finite after parsing (`1e400` parses to Infinity).
 */
export function parseHostileJson(text: string, bounds: JsonBounds): unknown {
  if (Buffer.byteLength(text) > bounds.maxBytes) {
    throw new ProctorError('too-large', `JSON text is larger than ${bounds.maxBytes} bytes`);
  }
  refuseDepth(text, bounds.maxDepth);
  try {
    return JSON.parse(text, refuseTraps);
  } catch (thrown) {
    if (thrown instanceof ProctorError) throw thrown;
    throw new ProctorError('bad-request', `not JSON: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

function refuseTraps(this: unknown, key: string, value: unknown): unknown {
  if (key === '__proto__') throw new ProctorError('bad-request', 'the key "__proto__" is not allowed');
  if (key === 'constructor' && typeof value === 'object' && value !== null && 'prototype' in value) {
    throw new ProctorError('bad-request', 'the key "constructor" with a "prototype" is not allowed');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ProctorError('bad-request', `the number at "${key}" is not finite`);
  }
  return value;
}

/** Counts brackets outside strings before JSON.parse recurses over them. Strings are skipped whole, so it is linear. */
function refuseDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (depth > maxDepth) throw new ProctorError('bad-request', `JSON is nested deeper than ${maxDepth} levels`);
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

/** The place of the quote that ends the string which begins at `start`; the text's end when none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
