import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lookAtRuns } from '../../src/pipeline/watch-masked.ts';
import { testApi } from '../support/api-client.ts';
import { code, file } from '../support/http.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

/** Slow enough that what is handed in after it waits. */
const SLOW = `import time\ntime.sleep(1)\n${RIGHT}`;

describe('runs', () => {
  let api: Awaited<ReturnType<typeof testApi>>;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let instance_id: string;
  beforeAll(async () => {
    scratch = await scratchFolder();
    api = await testApi({
      tasks: [await writeTinyTask(scratch.path)],
      environment: { PROCTOR_GRADE_CONCURRENCY: '1', PROCTOR_WEBHOOK_ALLOW: '127.0.0.1' },
    });
    instance_id = (await post('/v1/instances', { task: 'test/double' })).body.instance_id;
  });
  afterAll(async () => {
    await api.dispose();
    await scratch.dispose();
  });
  const post = (url: string, payload: object, role: 'trainer' | 'harness' = 'trainer') =>
    api.call(role, { method: 'POST', url, payload });
  const rewards = async (body: object) => (await post('/v1/rewards', body)).body.items;
  const item = (id: string, source: string) => ({
    id,
    group_id: 'g',
    instance_id,
    artifact: { files: [file(source)] },
  });
  const describeRun = async (id: string) => (await api.call('trainer', { url: `/v1/runs/${id}` })).body;

  test('a run is counted by what became of its hand-ins, and listed', async () => {
    await rewards({ run_id: 'plain', items: [item('1', RIGHT), item('2', WRONG)] });
    expect(await describeRun('plain')).toMatchObject({
      ...{ run_id: 'plain', state: 'active', reason: null, masked: 0, masked_share: 0, alarms: [] },
      submissions: { total: 2, waiting: 0, dropped: 0, scored: 2, quarantined: 0, unscored: 0 },
    });
    const { runs } = (await api.call('trainer', { url: '/v1/runs?state=active' })).body;
    expect(runs.map(({ run_id }: { run_id: string }) => run_id)).toContain('plain');
    expect(code(await api.call('trainer', { url: '/v1/runs/none' }))).toEqual([404, 'not-found']);
  });

  test('the rewards of a paused run are pending until it goes on, and nothing is lost', async () => {
    const [given] = await rewards({ run_id: 'held', items: [item('1', RIGHT)] });
    expect((await post('/v1/runs/held/pause', { reason: 'looks odd' })).body).toMatchObject({
      state: 'paused',
      reason: 'looks odd',
    });
    const url = `/v1/rewards/${given.submission_id}`;
    const withheld = (await api.call('trainer', { url })).body;
    expect(withheld).toMatchObject({
      ...{
        status: 'pending',
        reward: 0,
        mask_sample: true,
        failure_kind: 'proctor:run-paused',
        failure_reason: 'looks odd',
      },
    });
    const graded = rewards({ run_id: 'held', deadline_ms: 20_000, items: [item('2', RIGHT)] });
    expect((await rewards({ run_id: 'held', deadline_ms: 0, items: [{ id: 'x' }] }))[0].group.n_valid).toBe(0);
    expect((await post('/v1/runs/held/resume', {})).body).toMatchObject({ state: 'active', reason: null });
    const { lines } = (await api.call('reviewer', { url: '/v1/audit-log?subject=held' })).body;
    expect(lines.map(({ action }: { action: string }) => action)).toEqual(['run-active', 'run-paused']);
    expect((await graded)[0]).toMatchObject({ status: 'scored', reward: 1, group: { n_valid: 2 } });
    expect((await api.call('trainer', { url })).body).toMatchObject({ status: 'scored', reward: 1 });
  });

  test('what waits of a cancelled run is not begun, answers unscored, and new calls are refused', async () => {
    const items = ['1', '2', '3'].map((id) => item(id, SLOW));
    const asked = rewards({ run_id: 'stopped', request_id: 'stopped', deadline_ms: 20_000, items });
    const stopped = () => describeRun('stopped');
    await expect.poll(async () => (await stopped()).submissions?.total, { timeout: 5_000 }).toBe(3);
    expect((await post('/v1/runs/stopped/cancel', {})).body.state).toBe('cancelled');
    const answered = await asked;
    const refused = answered.filter(
      ({ failure_kind }: { failure_kind: string }) => failure_kind === 'proctor:run-cancelled',
    );
    expect(refused.length).toBeGreaterThanOrEqual(2); // one may have begun
    for (const one of refused) expect(one).toMatchObject({ status: 'unscored', fault: 'caller', mask_sample: true });
    await expect.poll(async () => (await stopped()).submissions, { timeout: 10_000 }).toMatchObject({ waiting: 0 });
    expect((await stopped()).submissions.dropped).toBeGreaterThanOrEqual(2);
    for (const [url, payload, role] of [
      ['/v1/rewards', { run_id: 'stopped', items: [] }, 'trainer'],
      ['/v1/submissions', { run_id: 'stopped', instance_id, files: [file(RIGHT)] }, 'harness'],
      ['/v1/runs/stopped/resume', {}, 'trainer'],
    ] as const) {
      expect(code(await post(url, payload, role))).toEqual([409, 'run-cancelled']);
    }
  });

  test('a run of which too much is masked raises one alarm', async () => {
    const { database, log } = api.service.parts;
    const [given] = await rewards({ run_id: 'masked', items: [item('1', RIGHT)] });
    await database.query(`UPDATE rewards SET body = jsonb_set(body, '{maskSample}', 'true') WHERE artifact_id = $1`, [
      given.submission_id,
    ]);
    let alarms = 0;
    const look = (least: number) =>
      lookAtRuns({ database, log, bound: { most: 0.01, least }, alarmed: () => void alarms++ }, [given.submission_id]);
    await look(2);
    expect(alarms).toBe(0);
    await look(1);
    await look(1);
    expect(alarms).toBe(1);
    expect(await describeRun('masked')).toMatchObject({
      ...{ masked: 1, masked_share: 1, recent: { rewarded: 1, masked: 1, masked_share: 1 } },
      alarms: [{ kind: 'masked-share', detail: { rewarded: 1, masked: 1, share: 1, most: 0.01 } }],
    });
  });

  test('only trainers change a run', async () => {
    expect(code(await post('/v1/runs/plain/pause', {}, 'harness'))).toEqual([403, 'forbidden']);
  });
});
