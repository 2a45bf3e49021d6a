/** White space, quotes, what joins literals of strings (`" + "`, `' . '`, a backslash at a line's end), and what sets words apart. */
const NOISE = ' \t\r\n\v\f"\'`+-_.,\\';

/** Which single bytes say nothing: 1 for those. */
export const IS_NOISE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 && NOISE.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** First and last of the UTF-8 sequences, as numbers of their bytes, that nobody sees or that are spaces, dashes or quotes. */
const LONGER_NOISE: readonly (readonly [first: number, last: number])[] = [
  [0xc2a0, 0xc2a0], // no-break space
  [0xc2ad, 0xc2ad], // soft hyphen
  [0xcd8f, 0xcd8f], // grapheme joiner
  [0xe1a08e, 0xe1a08e], // vowel separator
  [0xe28080, 0xe2809f], // spaces, zero-width, directions, dashes, quotes: U+2000 to U+201F
  [0xe280a8, 0xe280af], // separators, embeddings, overrides: U+2028 to U+202F
  [0xe2819f, 0xe281af], // joiners, invisible operators, isolates: U+205F to U+206F
  [0xe38080, 0xe38080], // ideographic space
  [0xefb880, 0xefb88f], // variation selectors
  [0xefbbbf, 0xefbbbf], // byte order mark
  [0xf3a08080, 0xf3a087af], // tags and further variation selectors: U+E0000 to U+E01EF
];

const STARTS: Float64Array = Float64Array.from(LONGER_NOISE, ([first]) => first);
const ENDS: Float64Array = Float64Array.from(LONGER_NOISE, ([, last]) => last);

/** Which bytes may begin such a sequence: 1 for those. */
export const MAY_BEGIN_NOISE: Uint8Array = new Uint8Array(256);
for (const [first] of LONGER_NOISE) MAY_BEGIN_NOISE[Number.parseInt(first.toString(16).slice(0, 2), 16)] = 1;

/** How many bytes of noise beyond ASCII stand at a place that one may begin at: 0 for none. */
export function longNoiseAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let code = 0;
  for (let next = at; next < at + length; next++) code = code * 256 + (bytes[next] ?? 0);
  for (let range = 0; range < STARTS.length; range++) {
    if (code >= (STARTS[range] as number) && code <= (ENDS[range] as number)) return length;
  }
  return 0;
}

/** A text's bytes without noise and with ASCII letters in lower case; a search drops the same from what it reads. */
export function normalised(text: string): Buffer {
  const bytes = Buffer.from(text);
  const kept: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (IS_NOISE[byte] === 1) continue;
    const noise = MAY_BEGIN_NOISE[byte] === 1 ? longNoiseAt(bytes, at) : 0;
    if (noise > 0) at += noise - 1;
    else kept.push(lowerCase(byte));
  }
  return Buffer.from(kept);
}

/** An ASCII capital as its small letter; any other byte as it is. */
export function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
