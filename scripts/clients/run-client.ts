import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Installed } from './install.ts';
import type { Surroundings } from './surroundings.ts';

const SCRIPTS = fileURLToPath(new URL('python/', import.meta.url));
const HARBOR = fileURLToPath(new URL('../../clients/harbor/', import.meta.url));
const LONGEST_MS = 240_000;

const caseSchema = z.object({ case: z.string(), ok: z.boolean(), expected: z.string(), got: z.string() });

/** One thing that a client met. */
export type Case = Readonly<z.infer<typeof caseSchema>>;

/** Runs a client's script, which prints one case on each line as JSON. A script that breaks off is a case that failed. */
export async function runClient(script: string, installed: Installed, around: Surroundings): Promise<readonly Case[]> {
  const env = {
    PATH: `${dirname(installed.python)}:${process.env.PATH ?? ''}`,
    HOME: process.env.HOME ?? '/tmp',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: [installed.bare, SCRIPTS, HARBOR].join(':'),
    CLIENTS_BARE: installed.bare,
    CLIENTS_URL: around.url,
    CLIENTS_PROXY: around.proxyUrl,
    CLIENTS_TRAINER_KEY: around.trainerKey,
    CLIENTS_HARNESS_KEY: around.harnessKey,
    PROCTOR_KEY: around.harnessKey,
    NO_PROXY: '127.0.0.1,localhost',
  };
  const child = spawn(installed.python, ['-u', `${SCRIPTS}${script}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const code = child.exitCode ?? (await new Promise<number | null>((done) => child.once('close', done)));
  clearTimeout(timer);
  const cases = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"case"'))
    .map((line) => caseSchema.parse(JSON.parse(line)));
  if (code === 0) return cases;
  const got = `exit ${code}: ${stderr.trim().split('\n').slice(-3).join(' | ').slice(0, 600)}`;
  return [...cases, { case: 'the script runs to its end', ok: false, expected: 'exit 0', got }];
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
