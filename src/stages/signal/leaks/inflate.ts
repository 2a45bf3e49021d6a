import { GrowingBytes } from './view.ts';

/** What came out of a DEFLATE stream. */
export interface Inflated {
  readonly bytes: Buffer;
  /** `complete`: the last block ended. `truncated`: the input did. `broken`: it is no such stream from there. `bounded`: more than `maxBytes`, be it of work. */
  readonly ending: 'complete' | 'truncated' | 'broken' | 'bounded';
  readonly consumedBytes: number;
  /** What the work was worth in bytes: those that were read, or more where there were many blocks for little text. */
  readonly workBytes: number;
}

/** What a block is worth that says nothing: its codes are read and sorted all the same. */
const BLOCK_BYTES = 512;

/** RFC 1951, section 3.2.5: lengths and distances, with how many further bits each has. */
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073],
  ...[4097, 6145, 8193, 12289, 16385, 24577],
];
/** RFC 1951, section 3.2.7: the order in which lengths of the codes for lengths come. */
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_CODE_BITS = 15;
const END_OF_BLOCK = 256;
const MOST_LITERALS = END_OF_BLOCK + 1 + LENGTHS.length;

/**
 * Unpacks a raw DEFLATE stream (RFC 1951) up to a bound. Not `node:zlib`, whose synchronous functions throw away what
 * they had when a stream breaks off in the middle or grows beyond the bound: both are ways to hide a text.
 */
export function inflate(packed: Buffer, maxBytes: number): Inflated {
  const input: Input = { packed, at: 0, pending: 0, count: 0 };
  const out = new GrowingBytes(maxBytes);
  let done: boolean;
  let isLast: boolean;
  let blockBytes = 0;
  do {
    blockBytes += BLOCK_BYTES;
    isLast = take(input, 1) === 1;
    done = inflateBlock(input, out);
  } while (done && !isLast && blockBytes - out.length <= maxBytes);
  const truncated = input.at > packed.length;
  const isBounded = out.isFull || (done && !isLast);
  const ending = isBounded ? 'bounded' : done ? 'complete' : truncated ? 'truncated' : 'broken';
  const consumedBytes = Math.min(input.at, packed.length);
  const workBytes = Math.max(consumedBytes, blockBytes - BLOCK_BYTES);
  return { bytes: out.bytes(), ending, consumedBytes, workBytes };
}

interface Input {
  readonly packed: Buffer;
  /** The next byte; beyond the end once more was asked for than there is. */
  at: number;
  pending: number;
  count: number;
}

/** The next bits, lowest first; -1 after the end. */
function take(input: Input, bits: number): number {
  while (input.count < bits) {
    if (input.at >= input.packed.length) {
      input.at = input.packed.length + 1;
      return -1;
    }
    input.pending |= (input.packed[input.at++] as number) << input.count;
    input.count += 8;
  }
  const value = input.pending & ((1 << bits) - 1);
  input.pending >>>= bits;
  input.count -= bits;
  return value;
}

/** False when it did not end as a block ends. */
function inflateBlock(input: Input, out: GrowingBytes): boolean {
  switch (take(input, 2)) {
    case 0:
      return copyStored(input, out);
    case 1:
      return inflateCodes(input, out, FIXED);
    case 2: {
      const codes = readCodes(input);
      return codes !== null && inflateCodes(input, out, codes);
    }
    default:
      return false;
  }
}

function copyStored(input: Input, out: GrowingBytes): boolean {
  input.pending = 0;
  input.count = 0;
  const { packed, at } = input;
  const from = at + 4;
  input.at = Math.max(at, from);
  if (from > packed.length) {
    input.at = packed.length + 1;
    return false;
  }
  const length = packed.readUInt16LE(at);
  if ((length ^ packed.readUInt16LE(at + 2)) !== 0xffff) return false;
  out.append(packed.subarray(from, from + length));
  const isWhole = from + length <= packed.length;
  input.at = isWhole ? from + length : packed.length + 1;
  return isWhole && !out.isFull;
}

/** A canonical Huffman code: how many symbols have each length, and the symbols by their codes. */
interface Code {
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

interface Codes {
  readonly literals: Code;
  readonly distances: Code;
}

/** Null when there are more codes than their lengths allow. */
function codeOf(lengths: readonly number[]): Code | null {
  const counts = new Array<number>(MAX_CODE_BITS + 1).fill(0);
  for (const length of lengths) counts[length] = (counts[length] as number) + 1;
  counts[0] = 0;
  const offsets = new Array<number>(MAX_CODE_BITS + 2).fill(0);
  let left = 1;
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    left = left * 2 - (counts[length] as number);
    if (left < 0) return null;
    offsets[length + 1] = (offsets[length] as number) + (counts[length] as number);
  }
  const symbols: number[] = [];
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const place = offsets[length] as number;
    symbols[place] = symbol;
    offsets[length] = place + 1;
  }
  return { counts, symbols };
}

/** RFC 1951, section 3.2.6. */
const FIXED: Codes = {
  literals: codeOf(Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8))) as Code,
  distances: codeOf(Array.from({ length: 30 }, () => 5)) as Code,
};

/** The next symbol; -1 for none. */
function symbolOf(input: Input, { counts, symbols }: Code): number {
  let [code, first, index] = [0, 0, 0];
  for (let length = 1; length <= MAX_CODE_BITS; length++) {
    const bit = take(input, 1);
    if (bit === -1) return -1;
    code |= bit;
    const count = counts[length] as number;
    if (code - count < first) return symbols[index + code - first] as number;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return -1;
}

/** RFC 1951, section 3.2.7: the codes of a block that brings its own. */
function readCodes(input: Input): Codes | null {
  const [literalCount, distanceCount, orderCount] = [take(input, 5) + 257, take(input, 5) + 1, take(input, 4) + 4];
  if (literalCount > MOST_LITERALS || distanceCount > DISTANCES.length) return null;
  const orderLengths = new Array<number>(CODE_ORDER.length).fill(0);
  for (const place of CODE_ORDER.slice(0, orderCount)) orderLengths[place] = Math.max(0, take(input, 3));
  const lengthCode = codeOf(orderLengths);
  if (lengthCode === null) return null;
  const lengths: number[] = [];
  while (lengths.length < literalCount + distanceCount) {
    const symbol = symbolOf(input, lengthCode);
    if (symbol === -1) return null;
    const { value, count } = symbol < 16 ? { value: symbol, count: 1 } : repetition(input, symbol, lengths);
    if (value === -1) return null;
    for (let left = count; left > 0; left--) lengths.push(value);
  }
  const literals = codeOf(lengths.slice(0, literalCount));
  const distances = codeOf(lengths.slice(literalCount, literalCount + distanceCount));
  return literals === null || distances === null ? null : { literals, distances };
}

/** What the symbols 16 to 18 stand for: a value of -1 when nothing stands before that could be repeated. */
function repetition(input: Input, symbol: number, lengths: readonly number[]): { value: number; count: number } {
  if (symbol === 16) return { value: lengths.at(-1) ?? -1, count: 3 + take(input, 2) };
  return { value: 0, count: symbol === 17 ? 3 + take(input, 3) : 11 + take(input, 7) };
}

function inflateCodes(input: Input, out: GrowingBytes, { literals, distances }: Codes): boolean {
  while (!out.isFull) {
    const symbol = symbolOf(input, literals);
    if (symbol === -1) return false;
    if (symbol === END_OF_BLOCK) return true;
    if (symbol < END_OF_BLOCK) out.push(symbol);
    else if (!repeatEarlier(input, out, { symbol: symbol - END_OF_BLOCK - 1, distances })) return false;
  }
  return false;
}

function repeatEarlier(
  input: Input,
  out: GrowingBytes,
  { symbol, distances }: { symbol: number; distances: Code },
): boolean {
  const [length, lengthBits] = [LENGTHS[symbol], LENGTH_BITS[symbol]];
  if (length === undefined || lengthBits === undefined) return false;
  const moreLength = take(input, lengthBits);
  const distanceSymbol = symbolOf(input, distances);
  const distance = DISTANCES[distanceSymbol];
  if (moreLength === -1 || distance === undefined) return false;
  const moreDistance = take(input, Math.max(0, (distanceSymbol >> 1) - 1));
  if (moreDistance === -1 || distance + moreDistance > out.length) return false;
  out.repeat(distance + moreDistance, length + moreLength);
  return true;
}
