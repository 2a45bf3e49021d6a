import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const INSTALL_MS = 600_000;

const packageSchema = z.object({
  name: z.string(),
  what: z.string(),
  install: z.array(z.string()).default([]),
  needs: z.array(z.string()).default([]),
  without_dependencies: z.boolean().default(false),
  /** Of the wheel that is taken, where only some Pythons have one and its code is plain Python. */
  python: z.string().optional(),
  script: z.string().optional(),
  /** Why it is not run. */
  cannot: z.string().optional(),
});

/** A client to run, or the reason why not. */
export type ClientPackage = Readonly<z.infer<typeof packageSchema>>;

/** All clients of `packages.json`, or those named. */
export async function readClients(names: readonly string[]): Promise<readonly ClientPackage[]> {
  const text = await readFile(new URL('packages.json', import.meta.url), 'utf8');
  const all = z.array(packageSchema).parse(JSON.parse(text));
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

/** Where a client was installed. */
export interface Installed {
  readonly python: string;
  /** Folder of packages that were installed without what they depend on. */
  readonly bare: string;
}

/**
 * Installs one client from PyPI into a virtual environment of its own beneath `cache`; a second time nothing is fetched. Throws what pip said.
 */
export async function installClient(entry: ClientPackage, cache: string): Promise<Installed> {
  const folder = join(cache, entry.name);
  const [python, bare] = [join(folder, 'venv/bin/python'), join(folder, 'bare')];
  const mark = join(folder, 'installed.json');
  const wanted = JSON.stringify(entry);
  if ((await readFile(mark, 'utf8').catch(() => '')) === wanted) return { python, bare };
  await mkdir(bare, { recursive: true });
  await run(await newestPython(), ['-m', 'venv', '--clear', join(folder, 'venv')]);
  const pip = (...args: readonly string[]) =>
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:', ...args]);
  if (entry.needs.length > 0) await pip(...entry.needs);
  const version = entry.python === undefined ? [] : ['--python-version', entry.python];
  if (entry.without_dependencies) await pip('--no-deps', '--upgrade', '--target', bare, ...version, ...entry.install);
  else await pip(...entry.install);
  await writeFile(mark, wanted);
  return { python, bare };
}

/** The newest that answers: Harbor needs 3.12. `CLIENTS_PYTHON` names another one. */
async function newestPython(): Promise<string> {
  const named = process.env.CLIENTS_PYTHON;
  if (named !== undefined) return named;
  for (const name of ['python3.13', 'python3.12']) {
    const answers = await promisify(execFile)(name, ['-c', 'import ensurepip, venv']).then(
      () => true,
      () => false,
    );
    if (answers) return name;
  }
  return 'python3';
}

async function run(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, { timeout: INSTALL_MS, maxBuffer: 16 * 1024 * 1024 }).catch((thrown) => {
    const { stderr = '' } = thrown as { stderr?: string };
    const lines = stderr.trim().split('\n');
    throw new Error(lines.filter((line) => line.startsWith('ERROR')).join(' ') || lines.at(-1) || String(thrown));
  });
}
