import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/** A file of a ZIP archive. */
export interface ZipEntry {
  readonly name: string;
  readonly text: () => string;
}

/** The files of a ZIP archive (APPNOTE 6.3, without ZIP64 and encryption), for trusted archives only. */
export function readZip(archive: Buffer): readonly ZipEntry[] {
  let end = archive.length - END_BYTES;
  while (end > 0 && archive.readUInt32LE(end) !== END_SIGNATURE) end--;
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, packed] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [named, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + named);
    entries.push({ name, text: () => unpack(archive, { local, packed, method }) });
    at += ENTRY_BYTES + named + extra + comment;
  }
  return entries;
}

function unpack(archive: Buffer, { local, packed, method }: { local: number; packed: number; method: number }): string {
  const from = local + LOCAL_BYTES + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(from, from + packed);
  return (method === DEFLATED ? inflateRawSync(bytes) : bytes).toString('latin1');
}
