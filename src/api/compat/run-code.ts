import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import type { OnceRequest, OnceResult } from '../../platform/sandbox/run-once.ts';
import type { Command, Ending, ExecResult } from '../../platform/sandbox/sandbox.ts';
import { LANGUAGES } from './languages.ts';

const MEBIBYTE = 1024 ** 2;
const MOST_MEMORY_MB = 4_096;
const USUAL_MEMORY_MB = 1_024;
const LONGEST_SECONDS = 60;
const MOST_FILES = 100;

const seconds = z.number().min(0.01).max(LONGEST_SECONDS).default(10);

export const runCodeSchema = z.looseObject({
  code: z.string(),
  language: z.string().max(40),
  stdin: z.string().nullish(),
  compile_timeout: seconds,
  run_timeout: seconds,
  memory_limit_MB: z.number().nullish().describe('none, or below 1: 1,024'),
  files: z.record(z.string().max(1_000), z.base64().nullable()).default({}).describe('base64, by path'),
  fetch_files: z.array(z.string().max(1_000)).max(MOST_FILES).default([]),
});
type RunCode = z.infer<typeof runCodeSchema>;

const commandSchema = z.object({
  status: z.enum(['Finished', 'Error', 'TimeLimitExceeded']),
  execution_time: z.number(),
  return_code: z.int().nullable(),
  stdout: z.string(),
  stderr: z.string(),
});
export const ranSchema = z.object({
  status: z.enum(['Success', 'Failed', 'SandboxError']),
  message: z.string(),
  compile_result: commandSchema.nullable(),
  run_result: commandSchema.nullable(),
  executor_pod_name: z.string().nullable(),
  files: z.record(z.string(), z.string()),
});
type Ran = z.infer<typeof ranSchema>;

/** What SandboxFusion’s `run_code` asks for, as work for one sandbox. `bad-request` for a language that is not offered. */
export function onceOf(request: RunCode): OnceRequest {
  const { code, stdin, files, compile_timeout: compileSeconds, run_timeout: runSeconds } = request;
  const language = Object.hasOwn(LANGUAGES, request.language) ? LANGUAGES[request.language] : undefined;
  if (language === undefined) {
    const offered = Object.keys(LANGUAGES).join(', ');
    throw new ProctorError(
      'bad-request',
      `the language ${JSON.stringify(request.language)} is not offered: ${offered}`,
    );
  }
  const entries = Object.entries(files);
  if (entries.length > MOST_FILES) throw new ProctorError('too-large', `more than ${MOST_FILES} files`);
  const run: Command = {
    argv: language.run,
    wallMs: runSeconds * 1000,
    ...(stdin === undefined || stdin === null ? {} : { stdin: Buffer.from(stdin) }),
  };
  const compile: Command[] =
    language.compile === null ? [] : [{ argv: language.compile, wallMs: compileSeconds * 1000 }];
  return {
    root: { kind: 'host' },
    limits: limitsOf(request),
    files: [
      ...entries.map(([path, base64]) => ({ path, bytes: Buffer.from(base64 ?? '', 'base64') })),
      { path: language.file, bytes: Buffer.from(code) },
    ],
    commands: [...compile, run],
    fetch: request.fetch_files,
    fetchBytes: MEBIBYTE,
  };
}

function limitsOf({ memory_limit_MB: asked, compile_timeout, run_timeout }: RunCode): OnceRequest['limits'] {
  const memoryMb = asked === null || asked === undefined || asked < 1 ? USUAL_MEMORY_MB : Math.floor(asked);
  const wallMs = Math.ceil(Math.max(compile_timeout, run_timeout) * 1000);
  return {
    wallMs,
    cpuMs: 2 * wallMs,
    memoryBytes: Math.min(memoryMb, MOST_MEMORY_MB) * MEBIBYTE,
    processes: 64,
    outputBytes: 4 * MEBIBYTE,
    fileBytes: 64 * MEBIBYTE,
    diskBytes: 128 * MEBIBYTE,
  };
}

/** What the commands of {@link onceOf} left, in SandboxFusion’s words. */
export function ranOf(request: RunCode, { results, files }: OnceResult): Ran {
  const compiles = LANGUAGES[request.language]?.compile !== null;
  const told = results.map(tellCommand);
  const [compile_result = null, run_result = null] = compiles ? told : [null, ...told];
  const isGood = run_result?.status === 'Finished' && run_result.return_code === 0;
  return {
    ...{ status: isGood ? 'Success' : 'Failed', message: '', compile_result, run_result, executor_pod_name: null },
    files: Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytes.toString('base64')])),
  };
}

const KILLED = -9;

function tellCommand({ ending, stdout, stderr, wallMs }: ExecResult): z.infer<typeof commandSchema> {
  const { status, return_code, remark } = tellEnding(ending);
  const said = stderr.toString('utf8');
  const texts = { stdout: stdout.toString('utf8'), stderr: remark === '' ? said : `${said}\n${remark}` };
  return { status, return_code, execution_time: wallMs / 1000, ...texts };
}

function tellEnding(
  ending: Ending,
): Pick<z.infer<typeof commandSchema>, 'status' | 'return_code'> & { remark: string } {
  switch (ending.kind) {
    case 'exited':
      return { status: 'Finished', return_code: ending.code, remark: '' };
    case 'signalled':
      return { status: 'Finished', return_code: -ending.signal, remark: '' };
    case 'timed-out':
      return { status: 'TimeLimitExceeded', return_code: null, remark: '' };
    case 'out-of-memory':
      return { status: 'Finished', return_code: KILLED, remark: 'the memory limit was reached' };
    case 'too-much-output':
      return { status: 'Finished', return_code: KILLED, remark: 'the output limit was reached' };
    case 'stopped':
      throw new ProctorError('sandbox-failed', 'the sandbox was stopped before the program ended');
  }
}
