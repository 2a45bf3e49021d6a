import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../src/api/metrics.ts';
import { appOver } from '../../src/bin/api.ts';
import { answer, compatForFile } from '../support/compat-kit.ts';
import { code } from '../support/http.ts';
import { testConfig } from '../support/test-service.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, post, newInstance } = compatForFile();
const SLOW = 'import time\ndef double(x):\n    time.sleep(0.4)\n    return 2 * x\n';

function openrlhf(samples: readonly (readonly [string, unknown])[], query = '') {
  return post(`/compat/openrlhf/get_reward${query}`, {
    query: samples.map(([response]) => `<s>Write double.${response}`),
    prompts: samples.map(() => 'Write double.'),
    labels: samples.map(([, label]) => label),
  });
}

describe('OpenRLHF get_reward', () => {
  test('grades the program in each answer, and gives lists of one length with finite numbers', async () => {
    const label = await newInstance();
    const { status, body } = await openrlhf([
      [answer(RIGHT), label],
      [answer(WRONG), JSON.stringify({ instance_id: label, file: 'double.py' })],
    ]);
    expect([status, body.rewards, body.scores]).toEqual([200, [1, 0], [1, 0]]);
    expect(body.extra_logs).toEqual({
      ...{ proctor_score: [1, 0], proctor_weight: [1, 1], proctor_masked: [0, 0] },
      ...{ proctor_neutral: [0, 0], proctor_fallback: [0, 0] },
    });
  });

  test('answers empty lists with empty lists, with all keys', async () => {
    const { status, body } = await openrlhf([]);
    expect([status, body.rewards, body.scores]).toEqual([200, [], []]);
    expect(Object.values(body.extra_logs)).toEqual([[], [], [], [], []]);
  });

  test('pays a quarantined sample the mean of its graded siblings, also of earlier calls', async () => {
    const label = await newInstance('test/doubtful');
    const first = (await openrlhf([[answer(WRONG), label]], '?fallback=-3')).body;
    expect([first.rewards, first.extra_logs.proctor_fallback, first.extra_logs.proctor_masked]).toEqual([
      [-3],
      [1],
      [1],
    ]);
    expect((await openrlhf([[answer(RIGHT), label]])).body.rewards).toEqual([1]);
    const later = (await openrlhf([[answer(`# again\n${WRONG}`), label]], '?fallback=-3')).body;
    expect([later.rewards, later.extra_logs.proctor_neutral]).toEqual([[1], [1]]);
  });

  test('a label that names nothing gets the fallback and is marked; the others are graded', async () => {
    const label = await newInstance();
    const { status, body } = await openrlhf([
      [answer(RIGHT), label],
      [answer(RIGHT), '42'],
      [answer(RIGHT), null],
    ]);
    expect([status, body.rewards, body.extra_logs.proctor_masked]).toEqual([200, [1, 0, 0], [0, 1, 1]]);
  });

  test('what is not graded before the deadline is a status to come again on, and joins the work then', async () => {
    const label = await newInstance();
    const early = await openrlhf([[answer(SLOW), label]], '?deadline_ms=50');
    expect([code(early), early.headers['retry-after']]).toEqual([[503, 'no-result'], '2']);
    expect((await openrlhf([[answer(SLOW), label]])).body.rewards).toEqual([1]);
    const rows = await api().service.parts.database.query('SELECT 1 FROM artifacts WHERE instance_id = $1', [label]);
    expect(rows).toHaveLength(1);
  });

  test('lists of different lengths, and bodies of another shape, are the caller’s fault', async () => {
    const url = '/compat/openrlhf/get_reward';
    expect(code(await post(url, { query: ['a'], prompts: [], labels: [] }))).toEqual([400, 'bad-request']);
    expect(code(await post(url, { query: 'a' }))).toEqual([400, 'bad-request']);
    expect(code(await post(`${url}?fallback=NaN`, { query: [], prompts: [] }))).toEqual([400, 'bad-request']);
  });
});

describe('slime rm', () => {
  const rm = (response: string, label: unknown, query = '') =>
    post(`/compat/slime/rm${query}`, { prompt: 'Write double.', response, label, id: 7 });

  test('answers a number, or all of it for --reward-key reward', async () => {
    const label = await newInstance();
    const plain = await rm(answer(RIGHT), label);
    expect([plain.text, plain.headers['content-type']]).toEqual(['1', 'application/json; charset=utf-8']);
    expect((await rm(answer(WRONG), label, '?detail=1')).body).toEqual({
      ...{ reward: 0, score: 0, train_weight: 1, mask_sample: false, basis: 'earned', failure_kind: '' },
    });
  });

  test('a task and seed stand for one instance, so that siblings are graded on the same', async () => {
    const label = { task: 'test/double', seed: 11 };
    for (const source of [RIGHT, `# 2\n${RIGHT}`]) expect((await rm(answer(source), label)).text).toBe('1');
    const rows = await api().service.parts.database.query("SELECT 1 FROM instances WHERE seed = '11'");
    expect(rows).toHaveLength(1);
  });

  test('something handed in before is graded as it was', async () => {
    const instance_id = await newInstance();
    const files = [{ path: 'double.py', content: RIGHT }];
    const sent = await api().call('harness', {
      method: 'POST',
      url: '/v1/submissions',
      payload: { instance_id, files },
    });
    expect((await rm('no program here', sent.body.submission_id)).text).toBe('1');
  });

  test('a quarantined sample says so where there is room for it', async () => {
    const label = await newInstance('test/doubtful');
    expect((await rm(answer(WRONG), label, '?detail=1&fallback=0.25')).body).toMatchObject({
      ...{ reward: 0.25, basis: 'fallback', mask_sample: true, train_weight: 0, failure_kind: 'proctor:quarantined' },
    });
  });
});

describe('keys of clients that cannot set headers', () => {
  const body = { method: 'POST', payload: { query: [], prompts: [] } } as const;

  test('a key may stand in the path, and is checked like any other', async () => {
    const at = (key: string) => api().call(null, { ...body, url: `/compat/k/${key}/openrlhf/get_reward` });
    expect((await at(api().keys.trainer)).status).toBe(200);
    expect(code(await at('proctor_wrong'))).toEqual([401, 'unauthenticated']);
    expect(code(await at(api().keys.reviewer))).toEqual([403, 'forbidden']);
    expect(code(await api().call(null, { ...body, url: '/compat/openrlhf/get_reward' }))).toEqual([
      ...[401, 'unauthenticated'],
    ]);
  });

  test('the log never has a key that came in a path', async () => {
    const { service, keys } = api();
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const parts = { ...service.parts, log };
    const app = await appOver({ ...service, parts }, testConfig('/nowhere'), createMetrics());
    for (const rest of ['openrlhf/get_reward', 'no/such/route', '%zz', 'slime/rm?detail=1'])
      await app.inject({ method: 'POST', url: `/compat/k/${keys.trainer}/${rest}`, payload: {} });
    await app.close();
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.join('')).not.toContain(keys.trainer);
  });

  test('a key in the path opens nothing outside /compat, and no error repeats it', async () => {
    const key = api().keys.trainer;
    const lost = await api().call(null, { ...body, url: `/compat/k/${key}/no/such/route` });
    expect(code(lost)).toEqual([404, 'not-found']);
    expect(lost.text).not.toContain(key);
    expect((await api().call(null, { url: `/compat/k/${key}/../v1/tasks` })).status).toBe(404);
  });
});
