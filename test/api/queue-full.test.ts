import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApi } from '../support/api-client.ts';
import { file } from '../support/http.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

/** Slow enough that what is handed in here waits while the test goes on. */
const SLOW = `import time\ntime.sleep(1)\n${RIGHT}`;

describe('more than may wait', () => {
  let api: Awaited<ReturnType<typeof testApi>>;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let instanceId: string;
  beforeAll(async () => {
    scratch = await scratchFolder();
    const tasks = [await writeTinyTask(scratch.path)];
    api = await testApi({
      tasks,
      environment: { PROCTOR_MAX_OPEN_SUBMISSIONS: '2', PROCTOR_GRADE_CONCURRENCY: '1' },
    });
    instanceId = (await post('/v1/instances', { task: 'test/double' })).body.instance_id;
  });
  afterAll(async () => {
    await api.dispose();
    await scratch.dispose();
  });
  const post = (url: string, payload: object) => api.call('harness', { method: 'POST', url, payload });
  const handIn = (key: string) =>
    post('/v1/submissions', { instance_id: instanceId, idempotency_key: key, files: [file(SLOW)] });

  test('is refused with when to come again; who comes again for what is there is answered; later there is room', async () => {
    expect([(await handIn('a')).status, (await handIn('b')).status]).toEqual([202, 202]);
    const refused = await handIn('c');
    expect([refused.status, refused.body.error.code, refused.body.error.fault]).toEqual([
      429,
      'queue-full',
      'platform',
    ]);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBe(refused.body.error.details.retryAfterSeconds);
    expect(seconds).toBeGreaterThanOrEqual(2);
    expect((await handIn('b')).status).toBe(202);
    const item = { id: 'x', instance_id: instanceId, artifact: { files: [file(SLOW)] } };
    const call = () => post('/v1/rewards', { request_id: 'r', deadline_ms: 20_000, items: [item] });
    expect((await call()).status).toBe(429);
    await expect.poll(async () => (await handIn('c')).status, { timeout: 30_000 }).toBe(202);
    await expect
      .poll(async () => (await call()).body.items?.[0], { timeout: 30_000 })
      .toMatchObject({ status: 'scored', reward: 1 });
  });
});
