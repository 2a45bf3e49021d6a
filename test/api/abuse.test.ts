import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApi } from '../support/api-client.ts';
import { code, file } from '../support/http.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

describe('who tries to learn from answers', () => {
  let api: Awaited<ReturnType<typeof testApi>>;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  beforeAll(async () => {
    scratch = await scratchFolder();
    api = await testApi({
      tasks: [await writeTinyTask(scratch.path)],
      environment: { PROCTOR_MAX_ATTEMPTS: '2', PROCTOR_TRAINER_DETAIL: 'none', PROCTOR_CALLS_PER_SECOND: '2' },
    });
  });
  afterAll(async () => {
    await api.dispose();
    await scratch.dispose();
  });
  const post = (url: string, payload: object, role: 'trainer' | 'harness' = 'trainer') =>
    api.call(role, { method: 'POST', url, payload });
  const newInstance = async () => (await post('/v1/instances', { task: 'test/double' }, 'harness')).body.instance_id;
  const item = (id: string, instance_id: string, source: string) => ({
    id,
    instance_id,
    artifact: { files: [file(source)] },
  });

  test('a trainer is told the reward and nothing of the verdict; others are told all; the shape is the same', async () => {
    const items = [item('1', await newInstance(), RIGHT)];
    const [brief] = (await post('/v1/rewards', { items })).body.items;
    expect(brief).toMatchObject({ status: 'scored', reward: 1, integrity: 'unknown', assurance: '', flags: [] });
    const known = [{ id: '1', submission_id: brief.submission_id }];
    const [whole] = (await post('/v1/rewards', { items: known }, 'harness')).body.items;
    expect(whole).toMatchObject({ status: 'scored', integrity: 'clean', assurance: 'oracle' });
    expect(Object.keys(whole)).toEqual(Object.keys(brief));
    const collected = await api.call('trainer', { url: `/v1/rewards/${brief.submission_id}` });
    expect(collected.body).toMatchObject({ reward: 1, integrity: 'unknown' });
    for (const path of ['', '/evidence']) {
      const url = `/v1/verdicts/${brief.verdict_id}${path}`;
      expect(code(await api.call('trainer', { url }))).toEqual([403, 'forbidden']);
      expect((await api.call('harness', { url })).status).toBe(200);
    }
  });

  test('an instance takes so many hand-ins and no more; what was handed in before is still joined', async () => {
    const instance_id = await newInstance();
    const ask = async (id: string) =>
      (await post('/v1/rewards', { request_id: 'r', items: [item(id, instance_id, WRONG)] })).body.items[0];
    expect((await ask('1')).status).toBe('scored');
    expect((await ask('2')).metrics.attempts_on_instance).toBe(2);
    expect(await ask('3')).toMatchObject({
      ...{ status: 'unscored', failure_kind: 'proctor:too-many-attempts', fault: 'caller', mask_sample: true },
    });
    expect((await ask('1')).status).toBe('scored');
    const refused = await post('/v1/submissions', { instance_id, files: [file(RIGHT)] }, 'harness');
    expect(code(refused)).toEqual([429, 'too-many-attempts']);
  });

  test('a key that calls without end is told when to come again, and no other key is', async () => {
    const call = () => api.call('reviewer', { url: '/v1/tasks' });
    const replies = await Promise.all(Array.from({ length: 40 }, call));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body.error.code).toBe('too-many-calls');
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect((await api.call('admin', { url: '/v1/tasks' })).status).toBe(200);
  });
});
