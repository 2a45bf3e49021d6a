import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Service } from '../../src/bin/open-service.ts';
import { runStep } from '../../src/pipeline/run-step.ts';
import { findDueSteps } from '../../src/pipeline/work-store.ts';
import { ProctorError } from '../../src/platform/base/errors.ts';
import type { Command, SandboxDriver } from '../../src/platform/sandbox/sandbox.ts';
import { findLatestGrade } from '../../src/stages/grade/grade-store.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
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

  test('a task that wants more isolation than this machine gives is not run with less: ungraded and masked', async () => {
    const folder = await tinyTask();
    const toml = await readFile(join(folder, 'task.toml'), 'utf8');
    await writeFile(join(folder, 'task.toml'), toml.replace('[proctor]\n', '[proctor]\nisolation = "micro-vm"\n'));
    const { reward, grade } = await graded(await openTestService(), folder, sent(RIGHT));
    expect(reward).toMatchObject({ status: 'unscored', maskSample: true, failureKind: 'proctor:platform-fault' });
    expect(grade).toMatchObject({ kind: 'ungraded', fault: 'platform', code: 'capability-missing' });
  });

  test('a snapshot that is not built is the task’s', async () => {
    const folder = await tinyTask();
    const toml = await readFile(join(folder, 'task.toml'), 'utf8');
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

  test('an oracle that asks what nobody can be asked is the task’s, and nobody is graded on it', async () => {
    const service = await openTestService();
    const bodies = ['yield {"args": [object()]}', 'yield {"args": [1], "function": 5}', 'yield {"arg": [1]}'];
    for (const body of bodies) {
      const oracle = `def cases(parameters, random):\n    ${body}\n\ndef expected(p, c):\n    return 1\n`;
      const { grade } = await graded(service, await tinyTask({ 'tests/oracle.py': oracle }), sent(RIGHT));
      expect([body, grade]).toMatchObject([body, { kind: 'ungraded', fault: 'task', code: 'oracle-failed' }]);
    }
  });

  test('what the oracle says when it fails is for reviewers: rewards and verdicts name the code alone', async () => {
    const oracle =
      'def cases(p, random):\n    raise ValueError("the secret is 42")\n\ndef expected(p, c):\n    return 1\n';
    const { reward, grade } = await graded(
      await openTestService(),
      await tinyTask({ 'tests/oracle.py': oracle }),
      sent(RIGHT),
    );
    expect(JSON.stringify(grade)).toContain('the secret is 42');
    expect(JSON.stringify(reward)).not.toContain('42');
    expect(reward).toMatchObject({ failureReason: 'oracle-failed' });
  });

  test('an examiner that is lost while it judges is not a wrong answer: it is tried again, and charged when only this hand-in loses it', async () => {
    const service = await openTestService();
    const oracle =
      'import os\n\ndef cases(p, random):\n    yield {"args": [3]}\n\ndef expected(p, c):\n    return 6\n\ndef check(p, c, answer):\n    if answer == 7: os._exit(1)\n    return answer == 6\n';
    const folder = await tinyTask({ 'tests/oracle.py': oracle });
    const killer = await graded(service, folder, sent('def double(x):\n    return 7\n'));
    expect(killer.grade).toMatchObject({ kind: 'measured', passed: false });
    expect((await graded(service, folder, sent(RIGHT))).reward).toMatchObject({ reward: 1 });
  });

  test('an instance whose row was changed is not graded', async () => {
    const service = await openTestService();
    await service.pipeline.stop();
    const id = await handIn(service, await tinyTask(), sent(RIGHT));
    await service.parts.database.query("UPDATE instances SET seed = 'another'");
    await service.parts.database.query("UPDATE instances SET digest = 'sha256:' || repeat('0', 64)");
    await runStep(service.parts, { step: 'grade', id });
    expect((await findLatestGrade(service.parts.database, id))?.body).toMatchObject({
      kind: 'ungraded',
      fault: 'evidence',
    });
  });

  test('a thousand failed tries of one hand-in do not stop the sweep for all', async () => {
    const { parts, pipeline } = await openTestService();
    await pipeline.stop();
    const folder = await tinyTask();
    const id = await handIn({ parts, pipeline } as Service, folder, sent(RIGHT));
    await parts.database.query(
      "INSERT INTO attempts (id, step, subject_id, error_code, message, at) SELECT 'att_' || n, 'screen', $1, 'defect', '', now() - interval '1 day' FROM generate_series(1, 1100) n",
      [id],
    );
    const { digest: group } = await loadTask(folder);
    expect(await findDueSteps(parts.database, 10)).toEqual([{ id, step: 'screen', group }]);
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
      // it is the artifact that makes it fail: an empty one is graded to its end
      let armed = false;
      return {
        ...sandbox,
        writeFile(...file: Parameters<typeof sandbox.writeFile>) {
          armed ||= file[0] === 'double.py';
          return sandbox.writeFile(...file);
        },
        start: (command: Command) => (armed ? Promise.reject(failure()) : sandbox.start(command)),
      };
    },
  };
  return failing;
}

/** Grades with another driver; the retries' pauses are passed over. */
async function gradedWith(service: Service, driver: SandboxDriver, source: string) {
  await service.pipeline.stop();
  const id = await handIn(service, await tinyTask(), sent(source));
  const parts = { ...service.parts, driver };
  // the first goes on to grading by itself
  for (const step of ['screen', 'grade', 'grade']) await runStep(parts, { step, id });
  const reward = await waitForReward(service.parts.database, id, performance.now());
  return { grade: (await findLatestGrade(service.parts.database, id))?.body, reward: reward?.body };
}
