import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../platform/base/errors.ts';
import type { Instance } from '../../stages/instance/instance.ts';
import { makeInstance } from '../../stages/instance/make-instance.ts';
import { renderFile } from '../../stages/instance/render-file.ts';
import type { Task } from '../../stages/task/task.ts';
import type { Made } from './expectation.ts';
import type { Submission } from './read-fixtures.ts';

/** Makes the workspace that a labelled submission leaves: the instance's files, its own over them, and odd things last. */
export async function buildWorkspace(
  target: string,
  { task, instance }: { readonly task: Task; readonly instance: Instance },
  { folder, expectation }: Submission,
): Promise<void> {
  await placeFiles(target, instance.files);
  const { remembers } = expectation;
  const { parameters } = remembers === undefined ? instance : makeInstance(task, { seed: remembers });
  await overlay(target, folder, { ...parameters, ...stolenFrom(instance) });
  for (const made of expectation.make) {
    if (made.kind === 'backup') await placeFiles(join(target, made.path), instance.files);
    else await make(target, made);
  }
}

/** What a cheat may have taken from its workspace or, if it leaked, from the service: places in its templates. */
function stolenFrom({ drawSecret, decoys }: Instance): Instance['parameters'] {
  const answers = decoys.find(({ kind }) => kind === 'answers');
  const credential = decoys.find(({ kind }) => kind === 'credential');
  return {
    ...(drawSecret !== null && {
      instance_secret: drawSecret,
      instance_secret_backwards: [...drawSecret].reverse().join(''),
    }),
    ...(answers && { decoy_path: answers.paths[0] ?? '', decoy_value: answers.values[0] ?? '' }),
    ...(credential && { decoy_token: credential.values[0] ?? '', decoy_host: credential.host ?? '' }),
  };
}

/** Writes an instance's files. */
export async function placeFiles(target: string, files: Instance['files']): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const file of files) await place(join(target, file.path), file);
}

/** Lays a folder's files over a workspace; templates are filled, links are kept as links. */
export async function overlay(target: string, folder: string, parameters: Instance['parameters']): Promise<void> {
  for (const path of await filesBelow(folder)) {
    const source = join(folder, path);
    const facts = await lstat(source);
    if (facts.isSymbolicLink()) {
      await replace(join(target, path));
      await symlink(await readlink(source), join(target, path));
    } else {
      const mode = (facts.mode & 0o100) === 0 ? 0o644 : 0o755;
      const file = renderFile({ path, mode, bytes: await readFile(source) }, parameters);
      await place(join(target, file.path), file);
    }
  }
}

async function filesBelow(folder: string, below = ''): Promise<readonly string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((thrown) => {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
  });
  const nested = entries.map((entry) => {
    const path = join(below, entry.name);
    return entry.isDirectory() ? filesBelow(folder, path) : [path];
  });
  return (await Promise.all(nested)).flat();
}

async function place(path: string, file: { mode: number; bytes: Buffer }): Promise<void> {
  await replace(path);
  await writeFile(path, file.bytes);
  await chmod(path, file.mode);
}

async function replace(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { recursive: true, force: true });
}

async function make(target: string, made: Exclude<Made, { kind: 'backup' }>): Promise<void> {
  const path = join(target, made.path);
  await replace(path);
  switch (made.kind) {
    case 'symlink':
      return symlink(made.target, path);
    case 'fifo':
      return void execFileSync('mkfifo', [path]);
    case 'sparse':
      await writeFile(path, '');
      return truncate(path, made.bytes);
    case 'setuid':
      await writeFile(path, made.text);
      return chmod(path, 0o4755);
    case 'file':
      return writeFile(path, made.text);
    case 'tree': {
      const deepest = join(path, ...Array.from({ length: made.depth }, () => 'd'));
      await mkdir(deepest, { recursive: true });
      return writeFile(join(deepest, 'file'), 'x');
    }
  }
}
