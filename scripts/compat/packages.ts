import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { TaskFile } from '../../src/stages/task/task.ts';

const PYTHON = '/usr/bin/python3';
const MAX_BASELINE_BYTES = 64 * 1024 ** 2;

const packageSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  modules: z.array(z.string()).min(1),
  /** Ids, or beginnings of ids, that are not compared. */
  deselect: z.array(z.object({ id: z.string(), reason: z.string() })),
  debian: z.object({ both: z.array(z.string()), tests: z.array(z.string()) }),
  bug: z.object({ file: z.string(), find: z.string(), replace: z.string() }),
});
const listSchema = z.object({ packages: z.array(packageSchema) });
const baselineSchema = z.record(
  z.string(),
  z.object({ passed: z.array(z.string()), failed: z.array(z.string()), seconds: z.number() }),
);

/** A package of packages.json, which says what the fields mean. */
export type RealPackage = z.infer<typeof packageSchema>;

/** What a plain pytest run, tests and package in one process, came to. */
export type Baseline = z.infer<typeof baselineSchema>[string];

/** Something that keeps the comparison from being made, in words for people. */
export class CannotCompare extends Error {}

/** The packages named, or all of them, in the order of the list. */
export async function readPackages(names: readonly string[]): Promise<readonly RealPackage[]> {
  const { packages } = listSchema.parse(JSON.parse(await readFile(beside('packages.json'), 'utf8')));
  const unknown = names.filter((name) => !packages.some((known) => known.name === name));
  if (unknown.length > 0) {
    const known = packages.map(({ name }) => name).join(', ');
    throw new CannotCompare(`unknown package: ${unknown.join(', ')} (there are: ${known})`);
  }
  return packages.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** Refuses to start without the Debian packages that the suites import: their tests would only look lost. */
export async function refuseMissingDebian(packages: readonly RealPackage[]): Promise<void> {
  const needed = new Set(['python3-pytest', ...packages.flatMap(({ debian }) => [...debian.both, ...debian.tests])]);
  const installed = await Promise.all([...needed].map(isInstalled));
  const missing = [...needed].filter((_, index) => !installed[index]);
  if (missing.length === 0) return;
  const line = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  throw new CannotCompare(`the suites need ${missing.join(', ')}. Run this line, then start again:\n  ${line}`);
}

async function isInstalled(name: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('dpkg-query', ['-W', '-f', '$' + '{Status}', name]);
    return stdout.includes('ok installed');
  } catch {
    return false;
  }
}

/** Brings the packages into the cache folder, laid out as artifact/ and tests/; a filled one needs no network. */
export async function fetchPackages(packages: readonly RealPackage[], cache: string): Promise<void> {
  const names = packages.map(({ name }) => name);
  const running = spawn(PYTHON, [beside('fetch.py'), '--cache', cache, ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(running, 'exit');
  if (code !== 0) throw new CannotCompare('the packages could not be fetched');
}

/** Runs a package's suite in one process with the package. */
export async function runInProcess(name: string, cache: string): Promise<Baseline> {
  const argv = [beside('baseline.py'), '--cache', cache, name];
  const { stdout } = await promisify(execFile)(PYTHON, argv, { maxBuffer: MAX_BASELINE_BYTES }).catch((thrown) => {
    throw new CannotCompare(`${name}: no baseline: ${String(thrown.stderr ?? thrown).trim()}`);
  });
  const baseline = baselineSchema.parse(JSON.parse(stdout))[name];
  if (baseline === undefined) throw new CannotCompare(`${name}: no baseline`);
  return baseline;
}

/** The artifact with the package's one seeded fault in it. */
export function withBug(artifact: readonly TaskFile[], { name, bug }: RealPackage): readonly TaskFile[] {
  const text = artifact.find(({ path }) => path === bug.file)?.bytes.toString('utf8') ?? '';
  const [before, after, ...more] = text.split(bug.find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new CannotCompare(`${name}: the place of the bug is not in ${bug.file}, or more than once`);
  }
  const bytes = Buffer.from(before + bug.replace + after);
  return artifact.map((file) => (file.path === bug.file ? { ...file, bytes } : file));
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
