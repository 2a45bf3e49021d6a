import { inflate } from './inflate.ts';
import { FEWEST_BYTES } from './leak.ts';
import { type Budget, charge, type Decoder, type View, type ViewWriter } from './view.ts';

/** What a try that comes to nothing costs at least, in bytes of the budget. */
const TRY_BYTES = 32;
/** A header's name or comment that is longer is no header; so many half-open ones cost no more than they should. */
const MAX_NAME_BYTES = 1_024;

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);
const ZIP_MAGIC = Buffer.from('PK\x03\x04', 'latin1');

/** Members of gzip (RFC 1952) anywhere in a view; checksums do not matter. */
export const gzip: Decoder = byMagic('gzip', GZIP_MAGIC, (bytes, at) => {
  const flags = bytes[at + 3] ?? 0;
  let data = at + 10;
  if ((flags & 4) !== 0) data += 2 + u16(bytes, data);
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.subarray(data, data + MAX_NAME_BYTES).indexOf(0);
    if (end === -1) return null;
    data += end + 1;
  }
  return (flags & 2) !== 0 ? data + 2 : data;
});

/** Packed entries of zip archives, by their local headers; stored ones stand there as they are. */
export const zip: Decoder = byMagic('zip', ZIP_MAGIC, (bytes, at) => {
  const isDeflated = u16(bytes, at + 8) === 8;
  return isDeflated ? at + 30 + u16(bytes, at + 26) + u16(bytes, at + 28) : null;
});

const ZLIB_FIRST = Buffer.from([0x78]);

/** Streams of zlib (RFC 1950) with the usual window, anywhere in a view. */
export const zlib: Decoder = byMagic('zlib', ZLIB_FIRST, (bytes, at) => (isZlibAt(bytes, at) ? at + 2 : null));

/** A first byte that names DEFLATE and a window, and a second that makes both a multiple of 31, without a dictionary. */
function isZlibAt(bytes: Buffer, at: number): boolean {
  const [first, second] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
  return (first & 0x8f) === 8 && (second & 0x20) === 0 && (first * 256 + second) % 31 === 0;
}

/**
 * DEFLATE without a header, or with zlib's of a smaller window, where a haystack or something decoded begins. Nothing
 * marks it, so only what ends as it should, or with the input, is believed.
 */
export const deflate: Decoder = {
  way: 'deflate',
  packed: true,
  stride: 0,
  decode(view, writer, budget) {
    for (const { from, to } of view.pieces) {
      const hasHeader = isZlibAt(view.bytes, from);
      if (hasHeader && view.bytes[from] === ZLIB_FIRST[0]) continue;
      const data = hasHeader ? from + 2 : from;
      if (!unpackMember({ view, data, to, isTrusted: false }, writer, budget)) return;
    }
  },
};

function u16(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

/** A decoder of what begins with these bytes. `dataAt` says where the DEFLATE stream begins, or that there is none. */
function byMagic(way: string, magic: Buffer, dataAt: (bytes: Buffer, at: number) => number | null): Decoder {
  return {
    way,
    packed: true,
    stride: 0,
    decode(view, writer, budget) {
      const { bytes } = view;
      for (let at = bytes.indexOf(magic); at !== -1; at = bytes.indexOf(magic, at + 1)) {
        const data = dataAt(bytes, at);
        if (data === null) continue;
        if (!unpackMember({ view, data, to: bytes.length, isTrusted: true }, writer, budget)) return;
      }
    },
  };
}

interface Member {
  readonly view: View;
  readonly data: number;
  readonly to: number;
  /** Whether a header stood before it, so that a broken stream is looked at as far as it goes. */
  readonly isTrusted: boolean;
}

/** Adds what a member holds to the view; false when the budget is spent. */
function unpackMember({ view, data, to, isTrusted }: Member, writer: ViewWriter, budget: Budget): boolean {
  const roomBytes = Math.min(budget.bytesLeft - writer.out.length, budget.bounds.maxMemberBytes);
  if (roomBytes <= 0) {
    budget.cut = true;
    return false;
  }
  const { bytes, ending, workBytes } = inflate(view.bytes.subarray(data, to), roomBytes);
  const isTaken = bytes.length >= FEWEST_BYTES && (isTrusted || ending !== 'broken');
  if (ending === 'bounded') budget.cut = true;
  if (isTaken) {
    writer.begin(data);
    writer.out.append(bytes);
    writer.end();
  }
  charge(budget, TRY_BYTES + (isTaken ? Math.max(0, workBytes - bytes.length) : workBytes + bytes.length));
  return true;
}
