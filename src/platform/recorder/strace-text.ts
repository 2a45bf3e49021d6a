const ESCAPES: Readonly<Record<string, number>> = { f: 12, n: 10, r: 13, t: 9, v: 11 };
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes behind text as strace escapes it (C escapes, octal of one to three digits). */
function unescapeBytes(escaped: string): Buffer {
  const bytes = Buffer.alloc(escaped.length);
  let length = 0;
  for (const [part, octal, letter] of escaped.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) length = bytes.writeUInt8(Number.parseInt(octal, 8) & 0xff, length);
    else if (letter !== undefined) length = bytes.writeUInt8(ESCAPES[letter] ?? letter.charCodeAt(0) & 0xff, length);
    else length += bytes.write(part, length, 'latin1');
  }
  return bytes.subarray(0, length);
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
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    text += size === 0 ? `\0${hex(bytes[at] ?? 0)}` : bytes.toString('utf8', at, at + size);
    at += Math.max(1, size);
  }
  // U+0000 stands for a mark here: the byte 0 itself is marked by `characterSize`
  return text.replaceAll(/\\(?=x[0-9a-f]{2})/g, '\\x5c').replaceAll('\0', '\\x');
}

function marked(text: string): string {
  return text.replaceAll(/\\(?=x[0-9a-f]{2})/g, '\\x5c').replaceAll('\0', '\\x00');
}

/** Length in bytes of the UTF-8 character at `at`; 0 if there is none, or only the byte 0. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first === 0) return 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  try {
    STRICT.decode(bytes.subarray(at, at + size));
    return size;
  } catch {
    return 0;
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
