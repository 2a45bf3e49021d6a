import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Digest, digestOf } from '../base/digest.ts';
import { ProctorError } from '../base/errors.ts';

/**
 * Digest of a folder: one line for each entry in byte order of paths, with type, mode, and the content's sha256 or the
 * link's target. Times and owners do not count: sandboxes map every owner to nobody.
 */
export async function treeDigest(root: string): Promise<Digest> {
  const lines: string[] = [];
  await describe(root, '', lines);
  return digestOf(lines.join(''));
}

async function describe(root: string, path: string, lines: string[]): Promise<void> {
  const names = (await readdir(join(root, path))).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const name of names) {
    const child = path === '' ? name : `${path}/${name}`;
    lines.push(`${JSON.stringify(child)} ${await describeEntry(join(root, child))}\n`);
    if ((await lstat(join(root, child))).isDirectory()) await describe(root, child, lines);
  }
}

async function describeEntry(path: string): Promise<string> {
  const facts = await lstat(path);
  const mode = (facts.mode & 0o7777).toString(8);
  if (facts.isDirectory()) return `d ${mode}`;
  if (facts.isSymbolicLink()) return `l ${JSON.stringify(await readlink(path))}`;
  if (facts.isFile()) return `f ${mode} ${facts.size} ${await contentDigest(path)}`;
  throw new ProctorError('task-invalid', `a snapshot holds only files, folders and links; ${path} is none of them`);
}

async function contentDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
