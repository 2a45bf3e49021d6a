import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDocker, whyNoDocker } from '../support/docker-engine.ts';
import { scratchFolder } from '../support/test-service.ts';
import { writeTinyTask } from '../support/tiny-task.ts';

const PROGRAM = fileURLToPath(new URL('../../src/bin/proctor.ts', import.meta.url));
const at = {} as { data: string; task: string; agent: string };
const disposals: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const [data, task, agent] = [await scratchFolder(), await scratchFolder(), await scratchFolder()];
  disposals.push(data.dispose, task.dispose, agent.dispose);
  Object.assign(at, { data: data.path, task: await writeTinyTask(task.path), agent: agent.path });
  mkdirSync(join(at.agent, 'bin'));
  writeFileSync(
    join(at.agent, 'bin', 'solve.py'),
    'import os, sys\nassert "double" in sys.stdin.read()\nassert os.environ["TOKEN"] == "secret-value-7"\nopen("double.py", "w").write("def double(x):\\n    return 2 * x\\n")\n',
  );
});
afterAll(async () => {
  for (const dispose of disposals.reverse()) await dispose();
});

/** Runs `proctor ARGS` to its end; what it told by its exit code is a result too. */
async function proctor(args: readonly string[], settings: NodeJS.ProcessEnv = {}) {
  const env = {
    PATH: process.env.PATH,
    PROCTOR_DATA_DIR: at.data,
    PROCTOR_LOG_LEVEL: 'silent',
    NO_COLOR: '1',
    ...settings,
  };
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', PROGRAM, ...args], {
    env,
    maxBuffer: 64 * 1024 ** 2,
  });
  const { stdout, stderr, code } = await run.then(
    (done) => ({ ...done, code: 0 }),
    (failed) => failed,
  );
  return { stdout: String(stdout), stderr: String(stderr), code: Number(code) };
}

test('an agent is run in a workspace and graded; what it did is shown, holds, and can be done again', async () => {
  const args = [
    'run',
    at.task,
    '--agent',
    'python3 /proctor/agent/bin/solve.py',
    '--with',
    at.agent,
    '--env',
    'TOKEN=secret-value-7',
    '--json',
  ];
  const ran = await proctor(args);
  const told = JSON.parse(ran.stdout);
  expect([ran.code, told.reward.reward, told.agent.status]).toEqual([0, 1, 'ok']);
  const listed = JSON.parse((await proctor(['session', 'list', '--json'])).stdout);
  expect(listed.sessions).toMatchObject([{ id: told.sessionId, task: 'test/double', outcome: 'finished', steps: 1 }]);
  const shown = await proctor(['session', 'show', told.sessionId]);
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/step 1 .*\n.*solve\.py.*file\.written {2}\/work\/double\.py/s),
  ]);
  const whole = (await proctor(['session', 'show', told.sessionId, '--json'])).stdout;
  expect(JSON.parse(whole)).toMatchObject({ firstBroken: null, end: { body: { outcome: 'finished' } } });
  expect(whole).not.toContain('secret-value-7');
  const again = await proctor(['run', at.task, '--agent', 'echo same; exit 4', '--json']);
  expect([again.code, JSON.parse(again.stdout).agent.exit_code]).toEqual([1, 4]);
  const replay = await proctor(['session', 'replay', JSON.parse(again.stdout).sessionId]);
  expect([replay.code, replay.stdout]).toEqual([0, expect.stringContaining('1 steps of')]);
  expect(replay.stdout).toContain('the same');
}, 120_000);

test('mistakes in the call are told in words', async () => {
  const missing = await proctor(['run', at.task, '--agent', 'true', '--env', 'NOT_THERE']);
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining('--env NOT_THERE: there is no such variable here'),
  ]);
  const host = await proctor(['run', at.task, '--agent', 'true', '--allow', '10.0.0.1']);
  expect([host.code, host.stderr]).toEqual([2, expect.stringContaining('10.0.0.1')]);
  const none = await proctor(['session', 'show', 'sess_none']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no session')]);
}, 60_000);

test('the demonstration: every attempt is in the record, none succeeds, nobody honest is denied, in each driver that is here', async () => {
  const fault = whyNoDocker();
  const engine = fault === null ? await startDocker() : null;
  if (engine !== null) disposals.push(engine.dispose);
  const { stdout, code } = await proctor(['demo', '--sessions', '--json'], {
    PROCTOR_DOCKER_SOCKET: engine?.socketPath ?? '/nowhere.sock',
  });
  const { rows, notRun } = JSON.parse(stdout);
  expect([code, notRun.length]).toEqual([0, engine === null ? 1 : 0]);
  expect(rows).toHaveLength(engine === null ? 10 : 20);
  for (const row of rows) expect(row).toMatchObject({ asExpected: true, succeeded: false, complete: true });
}, 240_000);
