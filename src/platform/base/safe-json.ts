import { messageOf, ProctorError } from './errors.ts';

/** Bounds on JSON that comes from outside. */
export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Values in all, counted by commas and brackets. */
  readonly maxNodes: number;
}

/**
 * Parses JSON that somebody else wrote. Refuses (`bad-request`) what is too long, too deep, names `__proto__`,
 * or holds a number that is not finite after parsing (`1e400` parses to Infinity).
 */
export function parseHostileJson(text: string, bounds: JsonBounds): unknown {
  if (Buffer.byteLength(text) > bounds.maxBytes) {
    throw new ProctorError('too-large', `JSON text is larger than ${bounds.maxBytes} bytes`);
  }
  holdBounds(text, bounds);
  const suspicious = mayOverflow(text) || /__proto__|constructor|\\u/.test(text);
  try {
    // visiting every value is slow, so it is done only where one of the traps may be
    return suspicious ? JSON.parse(text, refuseTraps) : JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof ProctorError) throw thrown;
    throw new ProctorError('bad-request', `not JSON: ${messageOf(thrown)}`);
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

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 44, 91, 93, 123, 125];
const [ZERO, NINE, UPPER_E, LOWER_E] = [48, 57, 69, 101];
/** A number of fewer digits and without an exponent is finite. */
const LONG_NUMBER = 300;

/** Holds the bounds before JSON.parse spends anything on them, in one linear pass that skips strings whole. */
function holdBounds(text: string, { maxDepth, maxNodes }: JsonBounds): void {
  let depth = 0;
  let nodes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA) nodes++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      nodes++;
      depth++;
    }
    if (depth > maxDepth) throw new ProctorError('bad-request', `JSON is nested deeper than ${maxDepth} levels`);
    if (nodes > maxNodes) throw new ProctorError('too-large', `JSON holds more than ${maxNodes} values`);
  }
}

/** Whether some number is so long, or has an exponent, that it may not be finite. Digits in strings count too, harmlessly. */
function mayOverflow(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (digits > 0 && (code === UPPER_E || code === LOWER_E)) return true;
    digits = code >= ZERO && code <= NINE ? digits + 1 : 0;
    if (digits > LONG_NUMBER) return true;
  }
  return false;
}

/** The place of the quote that ends the string which begins at `start`; the text's end when none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
