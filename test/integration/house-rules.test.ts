import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { findScreening } from '../../src/stages/signal/screening-store.ts';
import { eventsOf, hostOf, openSession, sh } from '../support/session-kit.ts';
import { scratchFolder, testService } from '../support/test-service.ts';
import { disposeAfterEach, tinyTask } from '../support/tiny-service.ts';
import { RIGHT } from '../support/tiny-task.ts';

disposeAfterEach();

const POLICY = `id: default
version: 1
about: Rules that are enforced while a session runs.
enforce:
  - id: no-history
    about: The history of the repository is not for reading here.
    on: { action: shell.*, contains: git log }
    do: refuse
  - id: no-foreign-memory
    about: Memory of other processes is nobody's business.
    on: { event: file.*, path: /proc/*/mem }
    do: end
rules:
  - { id: violated, about: Proof., when: { integrity: violated }, decide: { action: reject, weight: 1 } }
cases:
  - { name: honest, given: { outcome: passed, integrity: clean }, expect: { action: accept, weight: 1 } }
`;

const opened = {} as Awaited<ReturnType<typeof testService>>;
const folder = {} as Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  Object.assign(folder, await scratchFolder());
  await mkdir(folder.path, { recursive: true });
  await writeFile(join(folder.path, 'default.yaml'), POLICY);
  Object.assign(opened, await testService({ PROCTOR_POLICY_DIR: folder.path }, { sessions: true }));
});
afterAll(async () => {
  await opened.dispose();
  await folder.dispose();
});

const SOLVE = `cat > double.py <<'END'\n${RIGHT}END\n`;

/** Hands in what a session left, and gives what it was paid and what was found. */
async function finished(id: string) {
  const { database } = opened.service.parts;
  const { artifactId } = await hostOf(opened.service).finish(id);
  const reward = await awaitReward(database, artifactId ?? '');
  const signals = (await findScreening(database, artifactId ?? ''))?.signals ?? [];
  return { reward: reward.body, signals: signals.filter(({ kind }) => kind === 'broken-rule') };
}

test('a step that breaks a rule is refused before anything runs, counts, and is a doubt; the session goes on', async () => {
  const { service } = opened;
  const id = await openSession(service, await tinyTask());
  const refused = await sh(service, id, 'git log; touch /work/ran');
  expect(refused).toMatchObject({
    ...{ step: 1, status: 'failed', outputs: [] },
    error: { code: 'refused', message: 'rule no-history: The history of the repository is not for reading here.' },
  });
  expect((await sh(service, id, `ls /work/ran; ${SOLVE}`)).step).toBe(2);
  expect(await eventsOf(service, id, 'rule.enforced')).toMatchObject([
    { step: 1, outcome: 'refuse', detail: { rule: 'no-history', severity: 'suspect', policy: 'default' } },
  ]);
  const executed = await eventsOf(service, id, 'process.executed');
  expect(executed.some(({ step }) => step === 1)).toBe(false);
  const { reward, signals } = await finished(id);
  expect(reward).toMatchObject({ reward: 1, verdict: { outcome: 'passed', integrity: 'suspect' } });
  expect(signals).toMatchObject([{ severity: 'suspect', evidence: [{ path: expect.stringContaining('step 1') }] }]);
});

test('what was recorded can end a session: no further step is made, it can be finished, and its work is rejected', async () => {
  const { service } = opened;
  const id = await openSession(service, await tinyTask());
  await sh(service, id, SOLVE);
  await sh(service, id, 'cat /proc/1/mem > /dev/null; true');
  const after = await sh(service, id, 'touch /work/ran');
  expect(after).toMatchObject({
    ...{ step: null, status: 'stopped', error: { code: 'refused' } },
    feedback: { budget_reached: null },
  });
  expect(after.error?.message).toContain('no-foreign-memory');
  const { reward, signals } = await finished(id);
  expect(signals).toMatchObject([{ severity: 'violation' }]);
  expect(reward).toMatchObject({ reward: 0, action: 'reject', verdict: { outcome: 'passed', integrity: 'violated' } });
});
