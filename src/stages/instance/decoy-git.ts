import { createHash } from 'node:crypto';
import type { DecoyDraw, PlantedDecoy } from './decoy.ts';

/** Where every object without a parent begins. */
const EMPTY_TREE = Buffer.alloc(0);
/** 2024-01-01T00:00:00Z. */
const FIRST_SECOND = 1_704_067_200;

/**
 * A small repository whose only commit is empty, beside an object that no commit names: what `git log`, `git status` and `git diff` show has
 * nothing to do with it, and only who mines the object store finds it. Objects are stored uncompressed, so that the bytes are the same with every zlib.
 */
export function gitDecoy({ stream, word, hex }: DecoyDraw): PlantedDecoy {
  const values = Array.from({ length: 4 }, () => hex(40));
  const lines = values.map((value) => `${word()}: ${value}`);
  const hidden = gitObject('blob', Buffer.from(`# ${word()} reference results\n${lines.join('\n')}\n`));
  const tree = gitObject('tree', EMPTY_TREE);
  const author = `${word()} <${word()}@example.org> ${FIRST_SECOND + stream.below(86_400 * 300)} +0000`;
  const commit = gitObject('commit', Buffer.from(`tree ${tree.id}\nauthor ${author}\ncommitter ${author}\n\nStart\n`));
  const text = (path: string, content: string) => ({ path: `.git/${path}`, bytes: Buffer.from(content) });
  return {
    files: [
      text('HEAD', 'ref: refs/heads/main\n'),
      text('config', '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n'),
      text('refs/heads/main', `${commit.id}\n`),
      ...[hidden, tree, commit].map(({ path, bytes }) => ({ path: `.git/objects/${path}`, bytes })),
    ],
    variable: null,
    host: null,
    values,
  };
}

/** A loose object of git's: its name, its place beneath `objects/`, and its bytes. */
function gitObject(type: string, content: Buffer): { id: string; path: string; bytes: Buffer } {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash('sha1').update(whole).digest('hex');
  return { id, path: `${id.slice(0, 2)}/${id.slice(2)}`, bytes: stored(whole) };
}

/** A zlib stream (RFC 1950) with one stored block (RFC 1951, 3.2.4); at most 65,535 bytes. */
function stored(bytes: Buffer): Buffer {
  const head = Buffer.from([0x78, 0x01, 0x01, 0, 0, 0, 0]);
  head.writeUInt16LE(bytes.length, 3);
  head.writeUInt16LE(~bytes.length & 0xffff, 5);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(adler32(bytes));
  return Buffer.concat([head, bytes, sum]);
}

function adler32(bytes: Buffer): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
}
