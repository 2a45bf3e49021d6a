const ESCAPES: Readonly<Record<string, number>> = { f: 12, n: 10, r: 13, t: 9, v: 11 };
const BACKSLASH = 0x5c;
const ANY_NEXT = [0x80, 0xbf] as const;
/** First bytes after which the second one has a narrower range: no overlong forms, surrogates or too high numbers. */
const SECOND_BYTES: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes behind text as strace escapes it (C escapes, octal of one to three digits). */
function unescapeBytes(escaped: string): Buffer {
  const bytes = Buffer.from(escaped, 'latin1');
  let length = 0;
  for (let at = 0; at < escaped.length; length++) {
    const start = bytes[at] ?? 0;
    const next = bytes[at + 1];
    if (start !== BACKSLASH || next === undefined) {
      bytes[length] = start;
      at += 1;
      continue;
    }
    // the bytes are written where they were read: an escape is never shorter than what it stands for
    const digits = octalDigits(bytes, at + 1);
    bytes[length] = digits > 0 ? octal(bytes, at + 1, digits) : (ESCAPES[String.fromCharCode(next)] ?? next);
    at += 1 + Math.max(1, digits);
  }
  return bytes.subarray(0, length);
}

function octalDigits(bytes: Buffer, at: number): number {
  let count = 0;
  while (count < 3 && isWithin(bytes[at + count], 0x30, 0x37)) count += 1;
  return count;
}

function octal(bytes: Buffer, at: number, digits: number): number {
  let value = 0;
  for (let n = 0; n < digits; n++) value = value * 8 + (bytes[at + n] ?? 0) - 0x30;
  return value & 0xff;
}

/**
 * Bytes as text: UTF-8 stays, other bytes and U+0000 become `\xNN`. A backslash that would look like such a mark becomes
 * `\x5c`, so that no two names give the same text.
 */
function textOfBytes(bytes: Buffer): string {
  try {
    return marked(STRICT.decode(bytes));
  } catch {
    return textOfMixedBytes(bytes);
  }
}

/** Text as strace escapes it, readable. */
export function readableText(escaped: string): string {
  return escaped.includes('\\') ? textOfBytes(unescapeBytes(escaped)) : escaped;
}

/** What stands in a quoted string, still escaped, and whether strace shortened it; null for anything else, such as a pointer. */
export function quotedText(token: string): { readonly escaped: string; readonly cut: boolean } | null {
  if (!token.startsWith('"')) return null;
  const cut = token.endsWith('"...');
  const end = cut ? token.length - 4 : token.length - 1;
  return end >= 1 && token[end] === '"' ? { escaped: token.slice(1, end), cut } : null;
}

function textOfMixedBytes(bytes: Buffer): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    if (size === 0) {
      text += `${bytes.toString('utf8', from, at)}\0${hex(bytes[at] ?? 0)}`;
      from = at + 1;
    }
    at += Math.max(1, size);
  }
  text += bytes.toString('utf8', from);
  // U+0000 stands for a mark here: the byte 0 itself is marked by `characterSize`
  return text.replaceAll(/\\(?=x[0-9a-f]{2})/g, '\\x5c').replaceAll('\0', '\\x');
}

function marked(text: string): string {
  return text.replaceAll(/\\(?=x[0-9a-f]{2})/g, '\\x5c').replaceAll('\0', '\\x00');
}

/**
 * Length in bytes of the UTF-8 character at `at`; 0 if there is none, or only the byte 0. Without a decoder, which throws:
 * that takes so long that a few names full of bad bytes would hold up the service.
 */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return first === 0 ? 0 : 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size = sizeByFirst(first);
  const [low, high] = SECOND_BYTES[first] ?? ANY_NEXT;
  const isWhole =
    isWithin(bytes[at + 1], low, high) &&
    (size < 3 || isWithin(bytes[at + 2], ...ANY_NEXT)) &&
    (size < 4 || isWithin(bytes[at + 3], ...ANY_NEXT));
  return isWhole ? size : 0;
}

function sizeByFirst(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

function isWithin(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
