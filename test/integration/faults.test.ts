import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Service } from '../../src/bin/open-service.ts';
import { runStep } from '../../src/pipeline/run-step.ts';
import { ProctorError } from '../../src/platform/base/errors.ts';
import type { SandboxDriver } from '../../src/platform/sandbox/sandbox.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { testService } from '../support/test-service.ts';
import {
  disposals,
  disposeAfterEach,
  graded,
  handIn,
  openTestService,
  sent,
  tinyTask,
} from '../support/tiny-service.ts';
import { RIGHT } from '../support/tiny-task.ts';

disposeAfterEach();

describe('whose fault it is', () => {
  test('an oracle that raises is the task’s: ungraded and masked, never a zero to learn from', async () => {
    const folder = await tinyTask({
      'tests/oracle.py':
        'def cases(parameters, random):\n    raise RuntimeError("no")\n\ndef expected(p, c):\n    return 1\n',
    });
    const { reward, grade } = await graded(await openTestService(), folder, sent(RIGHT));
    expect(reward).toMatchObject({
      status: 'unscored',
      maskSample: true,
      trainWeight: 0,
      failureKind: 'proctor:task-fault',
    });
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'task', code: 'oracle-failed' });
  });

  test('an oracle that ends its process, prints rubbish or draws nothing is the task’s too', async () => {
    const service = await openTestService();
    for (const body of [
      'import os; os._exit(0)',
      'return []',
      'return [7]',
      'import time; time.sleep(0); return 3',
      'print("x" * 10**6); raise SystemExit',
    ]) {
      const oracle = `def cases(parameters, random):\n    ${body}\n\ndef expected(p, c):\n    return 1\n`;
      const { grade } = await graded(service, await tinyTask({ 'tests/oracle.py': oracle }), sent(RIGHT));
      expect([body, grade]).toMatchObject([body, { kind: 'ungraded', fault: 'task' }]);
    }
  });

  test('a snapshot that is not built is the task’s', async () => {
    const folder = await tinyTask();
    const toml = (await import('node:fs')).readFileSync(join(folder, 'task.toml'), 'utf8');
    await writeFile(
      join(folder, 'task.toml'),
      toml.replace('grader = "function"', 'grader = "function"\nsnapshot = "not-built"'),
    );
    const { grade } = await graded(await openTestService(), folder, sent(RIGHT));
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'task', code: 'snapshot-missing' });
  });

  test('a driver that fails is tried again, and then the platform’s: ungraded and masked', async () => {
    const service = await openTestService();
    const failing = failingDriver(service.parts.driver, 'create');
    const { grade, reward } = await gradedWith(service, failing, RIGHT);
    expect(failing.calls).toBe(3);
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'platform', code: 'sandbox-failed' });
    expect(reward).toMatchObject({ status: 'unscored', maskSample: true, failureKind: 'proctor:platform-fault' });
  });

  test('a driver that fails once costs a retry, not a grade', async () => {
    const service = await openTestService();
    const { grade } = await gradedWith(service, failingDriver(service.parts.driver, 'create', 1), RIGHT);
    expect(grade).toMatchObject({ kind: 'measured', passed: true });
  });

  test('what fails only once the candidate’s code runs, while a control works, is charged to the candidate', async () => {
    const service = await openTestService();
    const { grade, reward } = await gradedWith(service, failingDriver(service.parts.driver, 'start-function'), RIGHT);
    expect(grade).toMatchObject({ kind: 'measured', passed: false });
    expect(reward).toMatchObject({ status: 'scored', reward: 0, maskSample: false });
  });

  test('stored bytes that were changed are withheld: no verdict rests on them', async () => {
    const { service, config, dispose } = await testService();
    disposals.push(dispose);
    const folder = await tinyTask();
    await service.pipeline.stop();
    const id = await handIn(service, folder, sent(RIGHT));
    const [row] = await service.parts.database.query('SELECT manifest FROM artifacts WHERE id = $1', [id]);
    const hex = JSON.stringify(row).match(/sha256:([0-9a-f]{64})/)?.[1] ?? '';
    await writeFile(join(config.dataFolder, 'blobs/sha256', hex.slice(0, 2), hex.slice(2)), 'changed');
    await runStep(service.parts, { step: 'grade', id });
    expect((await findLatestGrade(service.parts.database, id))?.body).toMatchObject({
      kind: 'ungraded',
      fault: 'evidence',
      code: 'digest-mismatch',
    });
  });
});

/** A driver that is real but for some failures, which nothing else could stage. */
function failingDriver(driver: SandboxDriver, where: 'create' | 'start-function', times = Number.POSITIVE_INFINITY) {
  const failure = () => new ProctorError('sandbox-failed', 'staged failure');
  const failing = {
    ...driver,
    calls: 0,
    async create(...spec: Parameters<SandboxDriver['create']>) {
      failing.calls += 1;
      if (where === 'create' && failing.calls <= times) throw failure();
      const sandbox = await driver.create(...spec);
      if (where !== 'start-function' || spec[0].tools?.function === undefined) return sandbox;
      return { ...sandbox, start: () => Promise.reject(failure()) };
    },
  };
  return failing;
}

/** Grades with another driver; the retries' pauses are passed over. */
async function gradedWith(service: Service, driver: SandboxDriver, source: string) {
  await service.pipeline.stop();
  const id = await handIn(service, await tinyTask(), sent(source));
  const parts = { ...service.parts, driver };
  for (let tries = 0; tries < 3; tries++) await runStep(parts, { step: 'grade', id });
  for (const step of ['screen', 'judge', 'decide', 'reward']) await runStep(parts, { step, id });
  const reward = await waitForReward(service.parts.database, id, performance.now());
  return { grade: (await findLatestGrade(service.parts.database, id))?.body, reward: reward?.body };
}
