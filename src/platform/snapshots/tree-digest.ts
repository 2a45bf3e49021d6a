import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { type Digest, digestOf } from '../base/digest.ts';
import { ProctorError } from '../base/errors.ts';

/**
 * Digest of a folder: one line for each entry in byte order of paths, with type, mode, and the content's sha256 or the
 * link's target. Times and owners do not count: sandboxes map every owner to nobody.
 */
export async function treeDigest(root: string): Promise<Digest> {
  const lines: string[] = [];
  await describe(Buffer.from(root), '', lines);
  return digestOf(lines.join(''));
}

/** Names are bytes: one that is not UTF-8 is escaped, so that no two names read alike. */
async function describe(folder: Buffer, path: string, lines: string[]): Promise<void> {
  const names = (await readdir(folder, { encoding: 'buffer' })).sort(Buffer.compare);
  for (const name of names) {
    const at = Buffer.concat([folder, Buffer.from('/'), name]);
    const child = path === '' ? readable(name) : `${path}/${readable(name)}`;
    const facts = await lstat(at);
    lines.push(`${JSON.stringify(child)} ${await describeEntry(at, facts)}\n`);
    if (facts.isDirectory()) await describe(at, child, lines);
  }
}

async function describeEntry(path: Buffer, facts: Stats): Promise<string> {
  const mode = (facts.mode & 0o7777).toString(8);
  if (facts.isDirectory()) return `d ${mode}`;
  if (facts.isSymbolicLink()) return `l ${JSON.stringify(readable(await readlink(path, { encoding: 'buffer' })))}`;
  if (facts.isFile()) return `f ${mode} ${facts.size} ${await contentDigest(path)}`;
  const what = JSON.stringify(readable(path));
  throw new ProctorError('task-invalid', `a snapshot holds only files, folders and links; ${what} is none of them`);
}

function readable(name: Buffer): string {
  const text = name.toString('utf8');
  return Buffer.from(text).equals(name) ? text : `bytes:${name.toString('hex')}`;
}

async function contentDigest(path: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
