import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { describe, expect, test, vi } from 'vitest';
import { apiForFile, code, file } from '../support/http.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, newInstance, post } = apiForFile();
const SLOW = 'import time\ndef double(x):\n    time.sleep(0.3)\n    return 2 * x\n';
const get = async (url: string, role: 'trainer' | 'harness' = 'trainer') => api().call(role, { url });

describe('rewards that are collected later', () => {
  test('by the id of the hand-in, waiting as long as is asked for', async () => {
    const instance_id = await newInstance();
    const item = { id: '1', group_id: 'g', instance_id, artifact: { files: [file(SLOW)] } };
    const [pending] = (await post('/v1/rewards', { run_id: 'c', deadline_ms: 0, items: [item] }, 'trainer')).body.items;
    expect(pending).toMatchObject({ id: '1', status: 'pending' });
    const url = `/v1/rewards/${pending.submission_id}`;
    const settled = await get(`${url}?wait_ms=20000`);
    expect(settled.body).toMatchObject({
      id: pending.submission_id,
      status: 'scored',
      reward: 1,
      group: { n_valid: 1 },
    });
    expect(Object.keys(settled.body).sort()).toEqual(Object.keys(pending).sort());
    expect((await get(url)).body.cached).toBe(true);
    expect(code(await get('/v1/rewards/sub_none'))).toEqual([404, 'not-found']);
  });

  test('by the id of the request, in its order, by the key that asked', async () => {
    const instance_id = await newInstance();
    const items = ['b', 'a'].map((id) => ({ id, instance_id, artifact: { files: [file(RIGHT)] } }));
    await post('/v1/rewards', { request_id: 'later', deadline_ms: 0, items: [...items, { id: 'bad' }] }, 'trainer');
    const { body } = await get('/v1/rewards?request_id=later&wait_ms=20000');
    expect(body.items.map(({ id, reward }: { id: string; reward: number }) => [id, reward])).toEqual([
      ...[
        ['b', 1],
        ['a', 1],
      ],
    ]);
    expect((await get('/v1/rewards?request_id=later', 'harness')).body.items).toEqual([]);
  });

  test('the siblings of a group are read once for a call, however many of them it asks for', async () => {
    const instance_id = await newInstance();
    const item = (id: string) => ({ id, group_id: 'many', instance_id, artifact: { files: [file(RIGHT)] } });
    const items = ['1', '2', '3', '4'].map(item);
    await post('/v1/rewards', { request_id: 'many', run_id: 'many', items }, 'trainer');
    const read = vi.spyOn(api().service.parts.database, 'query');
    const looks = () => read.mock.calls.filter(([sql]) => sql.includes("a.labels->>'group' = $2")).length;
    const { body } = await get('/v1/rewards?request_id=many');
    expect([looks(), body.items.map(({ group }: { group: object }) => group)]).toEqual([
      ...[1, Array(4).fill({ n_valid: 4, advice: 'keep', neutral_reward: 1 })],
    ]);
    read.mockClear();
    const headers = { accept: 'application/x-ndjson', 'content-type': 'application/json' };
    const payload = { request_id: 'many', run_id: 'many', items };
    await api().call('trainer', { method: 'POST', url: '/v1/rewards', payload, headers });
    expect(looks()).toBe(2); // and once more for the summary
    read.mockRestore();
  });
});

describe('rewards as they are settled', () => {
  const ask = async (body: object) => {
    const headers = { accept: 'application/x-ndjson', 'content-type': 'application/json' };
    const reply = await api().call('trainer', { method: 'POST', url: '/v1/rewards', payload: body, headers });
    return {
      ...reply,
      lines: reply.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    };
  };

  test('come one line each, the quick ones first, and a summary last', async () => {
    const instance_id = await newInstance();
    const items = [
      { id: 'slow', group_id: 'g', instance_id, artifact: { files: [file(SLOW)] } },
      { id: 'bad', group_id: 'g' },
      { id: 'wrong', group_id: 'g', instance_id, artifact: { files: [file(WRONG)] } },
    ];
    const { headers, lines } = await ask({ items });
    expect(headers['content-type']).toBe('application/x-ndjson');
    const ids = lines.map(({ id }) => id);
    expect([ids[0], [...ids].sort().slice(0, 3)]).toEqual(['bad', ['bad', 'slow', 'wrong']]);
    for (const line of lines.slice(0, 3)) expect(items[line.index]?.id).toBe(line.id);
    expect(lines[3]).toEqual({
      summary: {
        items: 3,
        statuses: { scored: 2, unscored: 1 },
        groups: { g: { n_valid: 2, advice: 'keep', neutral_reward: 0.5 } },
      },
    });
    expect((await ask({ items: [] })).lines).toEqual([{ summary: { items: 0, statuses: {}, groups: {} } }]);
  });

  test('who goes away in between is not waited for, and its work goes on', async () => {
    const instance_id = await newInstance();
    const items = [{ id: 'bad' }, { id: 'slow', instance_id, artifact: { files: [file(SLOW)] } }];
    const address = await api().app.listen({ port: 0, host: '127.0.0.1' });
    const headers = {
      ...{ accept: 'application/x-ndjson', 'content-type': 'application/json' },
      authorization: `Bearer ${api().keys.trainer}`,
    };
    await new Promise<void>((resolve, reject) => {
      const asking = request(`${address}/v1/rewards`, { method: 'POST', headers }, (answer) => {
        createInterface({ input: answer }).once('line', () => {
          answer.destroy();
          resolve();
        });
      });
      asking.on('error', reject).end(JSON.stringify({ request_id: 'gone', deadline_ms: 60_000, items }));
    });
    const collected = async () => (await get('/v1/rewards?request_id=gone')).body.items;
    await expect.poll(async () => (await collected())[0]?.status, { timeout: 20_000 }).toBe('scored');
  });
});
