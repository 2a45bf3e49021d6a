import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, messageOf } from '../base/errors.ts';
import { readStraceLog } from './read-strace-log.ts';
import { STRACE, straceArguments } from './strace-command.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;
const PROGRAM = '/usr/bin/true';

/** Whether steps can be recorded by strace on this machine. */
export interface StraceProbe {
  readonly usable: boolean;
  /** Why not, for people. */
  readonly remark: string | null;
  /** strace's own, such as `6.1`; null if it does not run. */
  readonly version: string | null;
}

/** Really traces a program, with the arguments of a step, and reads the log back. Never throws. */
export async function probeStrace(): Promise<StraceProbe> {
  const version = await straceVersion();
  if (version === null) return { usable: false, remark: `${STRACE} does not run; install strace`, version };
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'proctor-strace-'));
    const remark = await tryTrace(join(folder, 'log'));
    return { usable: remark === null, remark, version };
  } catch (error) {
    return { usable: false, remark: `strace cannot trace here: ${messageOf(error).slice(0, 300)}`, version };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Null if all is well, else what is wrong. */
async function tryTrace(logPath: string): Promise<string | null> {
  const [program, ...args] = straceArguments({ logPath });
  const { stderr } = await run(program ?? STRACE, [...args, PROGRAM], { timeout: TIMEOUT_MS });
  if (stderr !== '') return `strace complains: ${stderr.slice(0, 300)}`;
  const record = await readStraceLog({ log: logPath, after: null, maxEvents: 1000 });
  if (!record.complete) return `the log of a trial is not complete: ${record.problems.join('; ')}`;
  const seen = record.events.some((event) => event.type === 'process.executed' && event.path === PROGRAM);
  return seen ? null : 'the log of a trial lacks the execution';
}

async function straceVersion(): Promise<string | null> {
  try {
    const { stdout } = await run(STRACE, ['-V'], { timeout: TIMEOUT_MS });
    return stdout.match(/version (\S+)/)?.[1] ?? 'unknown';
  } catch (error) {
    return errnoOf(error) === undefined ? 'unknown' : null;
  }
}
