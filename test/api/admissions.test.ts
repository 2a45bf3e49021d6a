import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { soundAudit, testApi } from '../support/api-client.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const PAYS = `id: lenient
version: 1
about: Pays for tasks that nobody audited.
unadmitted: pay
rules:
  - { id: violated, about: x, when: { integrity: violated }, decide: { action: reject, weight: 1 } }
cases:
  - { name: honest, given: { outcome: passed, integrity: clean }, expect: { action: accept, weight: 1 } }
`;

describe('admission', () => {
  let api: Awaited<ReturnType<typeof testApi>>;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let audit: ReturnType<typeof soundAudit>;

  beforeAll(async () => {
    scratch = await scratchFolder();
    const strict = await writeTinyTask(join(scratch.path, 'strict'));
    const settings = await writeTinyTask(join(scratch.path, 'lenient'), {
      'task.toml': `schema_version = "1.0"
[task]
name = "test/lenient"
[environment]
memory_mb = 128
storage_mb = 16
[proctor]
grader = "function"
policy = "lenient"
[proctor.artifact]
include = ["double.py"]
[proctor.function]
module = "double"
function = "double"
`,
      '../policies/lenient.yaml': PAYS,
      '../policies/default.yaml': PAYS.replace('id: lenient', 'id: default').replace('unadmitted: pay\n', ''),
    });
    api = await testApi({
      unaudited: [strict, settings],
      environment: { PROCTOR_POLICY_DIR: join(scratch.path, 'policies') },
    });
    audit = soundAudit(await loadTask(strict));
  });
  afterAll(async () => {
    await api.dispose();
    await rm(scratch.path, { recursive: true });
  });

  const post = (role: 'admin' | 'trainer' | 'reviewer', url: string, payload: object) =>
    api.call(role, { method: 'POST', url, payload });
  const handIn = async (task: string) => {
    const { instance_id } = (await post('trainer', '/v1/instances', { task })).body;
    const artifact = { files: [{ path: 'double.py', content: RIGHT }] };
    return (await post('trainer', '/v1/rewards', { items: [{ id: '1', instance_id, artifact }] })).body.items[0];
  };

  test('the reward of a task that was never audited is refused and masked, and says what to do', async () => {
    expect(await handIn('test/double')).toMatchObject({
      ...{ status: 'unscored', reward: 0, train_weight: 0, mask_sample: true, fault: 'task', outcome: 'passed' },
      failure_kind: 'proctor:task-not-admitted',
      failure_reason: expect.stringMatching(/test\/double was never audited; run: proctor audit/),
    });
  });

  test('a policy may say otherwise', async () => {
    expect(await handIn('test/lenient')).toMatchObject({ status: 'scored', reward: 1, mask_sample: false });
  });

  test('an audit that needs work keeps it shut, one that admits opens what was graded before, and the newest counts', async () => {
    const { id: _id, ...before } = await handIn('test/double');
    const again = async () => {
      const { body } = await api.call('reviewer', { url: before.evidence_uri });
      const items = [{ id: 'x', submission_id: body.submission_id }];
      return (await post('trainer', '/v1/rewards', { items })).body.items[0];
    };
    const [nothing, reference] = audit.runs;
    const paysForNothing = { ...audit, runs: [{ ...nothing, reward: 1 }, reference] };
    const kept = await post('admin', '/v1/admissions', paysForNothing);
    expect([kept.status, kept.body]).toEqual([201, expect.objectContaining({ gate: 'needs work', score: 0 })]);
    expect(await again()).toMatchObject({ status: 'unscored', failure_reason: expect.stringMatching(/needs work/) });
    expect((await post('admin', '/v1/admissions', audit)).body).toMatchObject({ gate: 'admitted' });
    expect(await again()).toMatchObject({ status: 'scored', reward: 1 });
    const listed = (await api.call('trainer', { url: '/v1/tasks' })).body.tasks;
    expect(listed.map(({ name, gate }: { name: string; gate: string }) => [name, gate])).toEqual([
      ['test/double', 'admitted'],
      ['test/lenient', null],
    ]);
    const stored = await api.call('reviewer', { url: `/v1/admissions/${audit.digest}` });
    expect(stored.body).toEqual(audit);
  });

  test.each([
    ['one that claims what its findings do not show', {}, 201],
    ['a task that is not stored', { digest: `sha256:${'0'.repeat(64)}` }, 404],
    ['something that is no audit', { runs: 'none' }, 400],
    ['more than an audit says', { extra: 1 }, 400],
  ])('%s', async (_, changed, status) => {
    const claimed = { ...audit, runs: [], gate: 'admitted', score: 100, why: [], ...changed };
    const { status: answered, body } = await post('admin', '/v1/admissions', claimed);
    expect(answered).toBe(status);
    if (status === 201) expect(body).toMatchObject({ gate: 'needs work', why: ['no reference was graded'] });
  });

  test('only an admin may keep one, and only reviewers may read what it says', async () => {
    expect((await post('trainer', '/v1/admissions', audit)).status).toBe(403);
    expect((await api.call('trainer', { url: `/v1/admissions/${audit.digest}` })).status).toBe(403);
    const unknown = `/v1/admissions/sha256:${'1'.repeat(64)}`;
    expect((await api.call('reviewer', { url: unknown })).status).toBe(404);
  });
});
