import { expect, test } from 'vitest';
import { apiForFile, code, file } from '../support/http.ts';

const { api, post, settled } = apiForFile();
const ask = (more: object = {}, url = '/v1/instances') => post(url, { task: 'test/double', ...more });

test('an instance is told with what its workspace holds, and never with its seed or secret', async () => {
  const { status, body } = await ask();
  expect(status).toBe(201);
  expect(body).toMatchObject({ difficulty: null, instruction: expect.stringContaining('double') });
  expect(Object.keys(body.environment)).toHaveLength(1);
  const [row] = await api().service.parts.database.query(
    'SELECT seed, draw_secret AS secret FROM instances WHERE id = $1',
    [body.instance_id],
  );
  for (const hidden of [row?.seed, row?.secret]) expect(JSON.stringify(body)).not.toContain(hidden);
});

test('a retired seed is served for evaluation only, also as an instance that was made before', async () => {
  const before = await ask({ seed: 'in-the-open' });
  const retire = { task: 'test/double', seed: 'in-the-open', reason: 'stands in a blog post' };
  expect(code(await post('/v1/retired-seeds', retire, 'harness'))).toEqual([403, 'forbidden']);
  expect((await post('/v1/retired-seeds', retire, 'admin')).status).toBe(201);
  expect((await post('/v1/retired-seeds', { ...retire, reason: 'again' }, 'admin')).status).toBe(201);
  const refused = await ask({ seed: 'in-the-open' });
  expect(code(refused)).toEqual([409, 'seed-retired']);
  expect(refused.body.error.message).toContain('stands in a blog post');
  expect((await ask({ seed: 'in-the-open', phase: 'eval' })).status).toBe(201);
  expect((await ask({ seed: 'another' })).status).toBe(201);
  const old = { instance_id: before.body.instance_id };
  expect([409, 503]).toContain((await post('/v1/sessions', old)).status); // 503 where there are no workspaces
});

test('a level that the task has not is refused', async () => {
  expect(code(await ask({ difficulty: 'hard' }))).toEqual([400, 'bad-request']);
  expect(code(await ask({ phase: 'exam' }))).toEqual([400, 'bad-request']);
});

test('pass rates on the published instance stand beside those on fresh ones', async () => {
  const handIn = async (seed: string, content: string) => {
    const { body } = await ask({ seed, phase: 'eval' });
    const sent = await post('/v1/submissions', { instance_id: body.instance_id, files: [file(content)] });
    await settled(sent.body.submission_id);
  };
  await handIn('published', 'def double(x):\n    return x + x\n');
  await handIn('fresh', 'def double(x):\n    return x\n');
  const report = (query: string) => api().call('reviewer', { url: `/v1/task-report?task=test/double${query}` });
  expect(code(await report(''))).toEqual([400, 'bad-request']);
  const { body } = await report('&canonical_seed=published');
  expect(body).toMatchObject({
    ...{ task: 'test/double', ruling: 'too-few', gap: { value: 1 } },
    ...{ canonical: { passed: 1, of: 1, rate: 1 }, fresh: { passed: 0, of: 1, rate: 0 } },
  });
});
