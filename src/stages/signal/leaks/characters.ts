import { FEWEST_BYTES } from './leak.ts';
import type { Decoder, ViewWriter } from './view.ts';

const [BACKSLASH, PERCENT, SMALL_X, SMALL_U] = [0x5c, 0x25, 0x78, 0x75];
const [ZERO, NINE] = [0x30, 0x39];

/** The value of a hexadecimal digit, or -1. */
function digitAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function hexAt(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let next = at; next < at + digits; next++) {
    const digit = digitAt(bytes, next);
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** Text in which some characters are written as `\x41`, `\u0041` or `%41`, as it reads without. */
export const escapes: Decoder = {
  way: 'escaped',
  packed: false,
  stride: 1,
  decode({ bytes }, writer) {
    if (bytes.indexOf(BACKSLASH) === -1 && bytes.indexOf(PERCENT) === -1) return;
    let found = 0;
    writer.begin(0);
    for (let at = 0; at < bytes.length && !writer.out.isFull; ) {
      const end = writeEscape(bytes, at, writer);
      if (end > at) {
        found++;
        writer.mark(end);
        at = end;
      } else at = copyPlain(bytes, at, writer);
    }
    // without an escape it would be the same view once more
    if (found === 0) writer.out.length = 0;
    writer.end();
  },
};

/** Writes the character of an escape, if one stands here, and says where it ends. */
function writeEscape(bytes: Buffer, at: number, { out }: ViewWriter): number {
  if (bytes[at] === PERCENT) {
    const value = hexAt(bytes, at + 1, 2);
    if (value !== -1) out.push(value);
    return value === -1 ? at : at + 3;
  }
  if (bytes[at] !== BACKSLASH) return at;
  const letter = bytes[at + 1];
  const digits = letter === SMALL_X ? 2 : letter === SMALL_U ? 4 : 0;
  const value = digits === 0 ? -1 : hexAt(bytes, at + 2, digits);
  if (value === -1) return at;
  if (digits === 2) out.push(value);
  else out.append(Buffer.from(String.fromCharCode(value)));
  return at + 2 + digits;
}

/** Copies a byte. Of several backslashes in a row, which text within text has, the last one stays: an escape may follow. */
function copyPlain(bytes: Buffer, at: number, writer: ViewWriter): number {
  let last = at;
  while (bytes[last] === BACKSLASH && bytes[last + 1] === BACKSLASH) last++;
  if (last > at) {
    writer.mark(last);
    return last;
  }
  writer.out.push(bytes[at] as number);
  return at + 1;
}

/** As many bytes may stand between two numbers of a list: `) + chr(` and the like. */
const MAX_GAP = 12;

/** Bytes that are listed as numbers, decimal or as `0x41`, whatever stands between them. */
export const byteLists: Decoder = {
  way: 'byte-list',
  packed: false,
  stride: 0,
  decode({ bytes }, writer) {
    let [values, start, end] = [[] as number[], 0, 0];
    const finish = () => {
      if (values.length >= FEWEST_BYTES) {
        writer.begin(start);
        writer.out.append(Buffer.from(values));
        writer.end();
      }
      values = [];
    };
    for (let at = 0; at < bytes.length; at++) {
      if (!isDigit(bytes[at])) continue;
      const number = numberAt(bytes, at);
      if (values.length > 0 && (number.value > 255 || at - end > MAX_GAP)) finish();
      if (number.value <= 255) {
        if (values.length === 0) start = at;
        values.push(number.value);
      }
      end = number.end;
      at = number.end - 1;
    }
    finish();
  },
};

/** The number that begins here; one that is no byte has a value beyond 255. */
function numberAt(bytes: Buffer, at: number): { value: number; end: number } {
  const isHex = bytes[at] === ZERO && ((bytes[at + 1] ?? 0) | 0x20) === SMALL_X && digitAt(bytes, at + 2) !== -1;
  let [end, value] = [isHex ? at + 2 : at, 0];
  while (isHex ? digitAt(bytes, end) !== -1 : isDigit(bytes[end])) {
    value = Math.min(256, value * (isHex ? 16 : 10) + digitAt(bytes, end));
    end++;
  }
  return { value, end };
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/**
 * UTF-16 of either byte order: all that follows a byte order mark, or rows of Latin letters with a zero byte between
 * each two, wherever they stand.
 */
export const utf16: Decoder = {
  way: 'utf-16',
  packed: false,
  stride: 2,
  decode({ bytes }, writer) {
    const isMarked = bytes.length >= 2 && [0xfeff, 0xfffe].includes(bytes.readUInt16LE(0));
    if (isMarked) return writeLines(writer, textOfUnits(bytes));
    if (bytes.indexOf(0) === -1) return;
    for (let at = 0; at < bytes.length; ) {
      const end = endOfRow(bytes, at);
      // where the high bytes come first, the last letter has no zero byte after it
      if (end - at >= 2 * (FEWEST_BYTES - 1)) writePiece(writer, at, latinText(bytes.subarray(at, end + 1)));
      at = Math.max(end, at + 1);
    }
  },
};

/** Letters of several lines that are not told apart. */
const FEWEST_TOLD = 64;

/** Marks where lines begin: letters beyond Latin take more bytes or fewer than they took. */
function writeLines(writer: ViewWriter, text: string): void {
  writer.begin(0);
  for (let from = 0; from < text.length && !writer.out.isFull; ) {
    const end = text.indexOf('\n', from + FEWEST_TOLD);
    const to = end === -1 ? text.length : end + 1;
    writer.mark(2 * from);
    writer.out.append(Buffer.from(text.slice(from, to)));
    from = to;
  }
  writer.end();
}

function writePiece(writer: ViewWriter, source: number, text: string): void {
  writer.begin(source);
  writer.out.append(Buffer.from(text));
  writer.end();
}

function textOfUnits(bytes: Buffer): string {
  const units = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return (units[0] === 0xfe ? units.swap16() : units).toString('utf16le');
}

function latinText(row: Buffer): string {
  const letters = Buffer.alloc(Math.ceil(row.length / 2));
  for (let at = 0; at < letters.length; at++) letters[at] = row[2 * at] as number;
  return letters.toString('latin1');
}

/** Where a row of letters, each with a zero byte after it, ends that begins here. */
function endOfRow(bytes: Buffer, at: number): number {
  let end = at;
  while (end + 1 < bytes.length && bytes[end] !== 0 && bytes[end + 1] === 0) end += 2;
  return end;
}
