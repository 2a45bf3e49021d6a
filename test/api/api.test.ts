import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reply, testApi } from '../support/api-client.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let api: Awaited<ReturnType<typeof testApi>>;

beforeAll(async () => {
  scratch = await scratchFolder();
  api = await testApi({
    tasks: [await writeTinyTask(scratch.path)],
    environment: { PROCTOR_MAX_UPLOAD_BYTES: '2000000' },
  });
});
afterAll(async () => {
  await api.dispose();
  await scratch.dispose();
});

const post = (url: string, payload: string | object, role: 'harness' | 'trainer' | 'admin' | 'reviewer' = 'harness') =>
  api.call(role, { method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
const newInstance = async () => (await post('/v1/instances', { task: 'test/double' })).body.instance_id as string;
const file = (content: string) => ({ path: 'double.py', content });
const code = (reply: Reply) => [reply.status, reply.body?.error?.code];

async function settled(submissionId: string): Promise<Reply> {
  const reply = await post('/v1/rewards', { items: [{ id: 'x', submission_id: submissionId }] }, 'trainer');
  expect(reply.body.items[0].status).not.toBe('pending');
  return reply;
}

describe('the way of a submission', () => {
  test('instance, hand-in, verdict and reward', async () => {
    const instance = await post('/v1/instances', { task: 'test/double' });
    expect(instance.status).toBe(201);
    expect(instance.body.files.map((entry: { path: string }) => entry.path)).toEqual(['double.py']);
    expect(JSON.stringify(instance.body)).not.toContain('seed');
    const sent = await post('/v1/submissions', { instance_id: instance.body.instance_id, files: [file(RIGHT)] });
    expect([sent.status, sent.body.files]).toEqual([202, 1]);
    const reward = (await settled(sent.body.submission_id)).body.items[0];
    expect(reward).toMatchObject({
      id: 'x',
      status: 'scored',
      reward: 1,
      train_weight: 1,
      mask_sample: false,
      fault: 'none',
    });
    const verdict = await api.call('trainer', { url: `/v1/verdicts/${reward.verdict_id}` });
    expect(verdict.body).toMatchObject({ outcome: 'passed', integrity: 'clean', assurance: 'oracle', pinned: false });
    expect((await api.call('harness', { url: `/v1/submissions/${sent.body.submission_id}` })).body).toMatchObject({
      status: 'scored',
      verdict_id: reward.verdict_id,
    });
  });

  test('results by case are for reviewers: a trainer’s key is not told what to change', async () => {
    const sent = await post('/v1/submissions', { instance_id: await newInstance(), files: [file(WRONG)] });
    const reward = (await settled(sent.body.submission_id)).body.items[0];
    const url = `/v1/verdicts/${reward.verdict_id}`;
    expect((await api.call('trainer', { url })).body.evidence).toBeNull();
    expect((await api.call('reviewer', { url })).body.evidence.grade.cases).toHaveLength(5);
  });

  test('multipart hands in files by their names', async () => {
    const boundary = 'b0undary';
    const part = (head: string, body: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
    const payload = `${part('name="instance_id"', await newInstance())}${part('name="file"; filename="double.py"', RIGHT)}--${boundary}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const sent = await api.call('harness', { method: 'POST', url: '/v1/submissions', payload, headers });
    expect([sent.status, sent.body.files]).toEqual([202, 1]);
    expect((await settled(sent.body.submission_id)).body.items[0].reward).toBe(1);
  });

  test('the same idempotency key gives the same submission; other files under it are a conflict', async () => {
    const body = { instance_id: await newInstance(), idempotency_key: 'once', files: [file(WRONG)] };
    const first = await post('/v1/submissions', body);
    const second = await post('/v1/submissions', body);
    expect(second.body.submission_id).toBe(first.body.submission_id);
    expect(code(await post('/v1/submissions', { ...body, files: [file(RIGHT)] }))).toEqual([409, 'conflict']);
  });
});

describe('rewards for a batch', () => {
  test('same length, same order, same keys, and one bad item does not fail the others', async () => {
    const instance_id = await newInstance();
    const items = [
      { id: 'right', group_id: 'g', instance_id, artifact: { files: [file(RIGHT)] } },
      { id: 'bad', group_id: 'g', submission_id: 'sub_nonsense' },
      { id: 'wrong', group_id: 'g', instance_id, artifact: { files: [file(WRONG)] }, unknown_field: 1 },
      { id: 'shapeless', group_id: 'g', artifact: 7 },
      'not even an object',
    ];
    const { status, body } = await post('/v1/rewards', { request_id: 'r1', items }, 'trainer');
    expect(status).toBe(200);
    expect(body.items.map((item: { id: string }) => item.id)).toEqual(['right', 'bad', 'wrong', 'shapeless', '']);
    expect(new Set(body.items.map((item: object) => Object.keys(item).sort().join())).size).toBe(1);
    expect(body.items.map((item: { reward: number }) => item.reward)).toEqual([1, 0, 0, 0, 0]);
    expect(body.items.map((item: { mask_sample: boolean }) => item.mask_sample)).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(body.items[1]).toMatchObject({ status: 'unscored', failure_kind: 'proctor:not-found', fault: 'caller' });
    expect(body.items[0].group).toEqual({ n_valid: 2, advice: 'keep', neutral_reward: 0.5 });
  });

  test('the same request id joins the earlier work', async () => {
    const instance_id = await newInstance();
    const request = { request_id: 'again', items: [{ id: '1', instance_id, artifact: { files: [file(RIGHT)] } }] };
    const first = (await post('/v1/rewards', request, 'trainer')).body.items[0];
    const second = (await post('/v1/rewards', request, 'trainer')).body.items[0];
    expect(second.verdict_id).toBe(first.verdict_id);
    expect([first.cached, second.cached]).toEqual([false, true]);
  });

  test('request ids and item ids that look alike when joined are different work', async () => {
    const instance_id = await newInstance();
    const ask = (request_id: string, id: string, source: string) =>
      post('/v1/rewards', { request_id, items: [{ id, instance_id, artifact: { files: [file(source)] } }] }, 'trainer');
    expect((await ask('a/b', 'c', RIGHT)).body.items[0].reward).toBe(1);
    expect((await ask('a', 'b/c', WRONG)).body.items[0]).toMatchObject({ status: 'scored', reward: 0 });
  });

  test('the deadline is kept: what is not graded by then is pending and masked', async () => {
    const instance_id = await newInstance();
    const slow = 'import time\ndef double(x):\n    time.sleep(0.4)\n    return 2 * x\n';
    const request = {
      request_id: 'late',
      deadline_ms: 50,
      items: [{ id: '1', instance_id, artifact: { files: [file(slow)] } }],
    };
    const early = (await post('/v1/rewards', request, 'trainer')).body.items[0];
    expect(early).toMatchObject({ status: 'pending', mask_sample: true, reward: 0 });
    const later = (await post('/v1/rewards', { ...request, deadline_ms: 30_000 }, 'trainer')).body.items[0];
    expect(later).toMatchObject({ status: 'scored', reward: 1 });
  });

  test('an empty batch is answered with an empty one', async () => {
    expect((await post('/v1/rewards', { items: [] }, 'trainer')).body).toEqual({ items: [] });
  });
});

describe('who may do what', () => {
  test('without a key, with a wrong one, and with a revoked one: 401', async () => {
    const url = '/v1/tasks';
    expect(code(await api.call(null, { url }))).toEqual([401, 'unauthenticated']);
    const wrong = api.keys.trainer.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(code(await api.call(null, { url, headers: { authorization: `Bearer ${wrong}` } }))).toEqual([
      401,
      'unauthenticated',
    ]);
    const made = await post('/v1/keys', { name: 'short-lived', role: 'trainer' }, 'admin');
    const headers = { authorization: `Bearer ${made.body.key}` };
    expect((await api.call(null, { url, headers })).status).toBe(200);
    expect((await api.call('admin', { method: 'DELETE', url: `/v1/keys/${made.body.key_id}` })).status).toBe(204);
    expect(code(await api.call(null, { url, headers }))).toEqual([401, 'unauthenticated']);
  });

  test('a role that may not is told which may', async () => {
    const reply = await post('/v1/submissions', { instance_id: await newInstance(), files: [] }, 'trainer');
    expect(code(reply)).toEqual([403, 'forbidden']);
    expect(reply.body.error.message).toContain('harness');
    expect(code(await post('/v1/keys', { name: 'x', role: 'admin' }, 'harness'))).toEqual([403, 'forbidden']);
  });

  test('only digests of keys are stored', async () => {
    const rows = await api.service.parts.database.query('SELECT * FROM api_keys');
    for (const key of Object.values(api.keys)) expect(JSON.stringify(rows)).not.toContain(key.split('_')[2]);
  });

  test('health is open, metrics are not', async () => {
    expect((await api.call(null, { url: '/healthz' })).body).toEqual({ status: 'ok' });
    expect((await api.call(null, { url: '/readyz' })).body).toEqual({ status: 'ready' });
    expect((await api.call(null, { url: '/metrics' })).status).toBe(401);
    expect((await api.call('reviewer', { url: '/metrics' })).text).toContain('proctor_http_request_seconds_count');
  });

  test('the API describes itself, each route with its schema', async () => {
    const { body } = await api.call(null, { url: '/docs/json' });
    expect(Object.keys(body.paths).sort()).toEqual(
      [
        ...['/healthz', '/readyz', '/v1/instances', '/v1/keys', '/v1/keys/{id}', '/v1/rewards'],
        ...['/v1/submissions', '/v1/submissions/{id}', '/v1/tasks', '/v1/verdicts/{id}'],
      ].sort(),
    );
  });
});

describe('bad input is answered clearly and nothing is lost', () => {
  const submissions = async () =>
    Number((await api.service.parts.database.query('SELECT count(*)::int AS n FROM artifacts'))[0]?.n);
  const bad: Readonly<Record<string, [payload: () => Promise<string | object>, status: number, code: string]>> = {
    'JSON that is none': [async () => '{"instance_id": ', 400, 'bad-request'],
    'an empty body': [async () => '', 400, 'bad-request'],
    'a number for a body': [async () => '7', 400, 'bad-request'],
    'JSON with __proto__': [
      async () => `{"instance_id":"${await newInstance()}","files":[],"__proto__":{"x":1}}`,
      400,
      'bad-request',
    ],
    'a number that is not finite': [
      async () => `{"instance_id":"${await newInstance()}","files":[],"x":1e999}`,
      400,
      'bad-request',
    ],
    'JSON nested a thousand deep': [async () => `${'['.repeat(1000)}${']'.repeat(1000)}`, 400, 'bad-request'],
    'huge JSON': [async () => `{"x":"${'a'.repeat(3_000_000)}"}`, 413, 'too-large'],
    'a wrong instance id': [async () => ({ instance_id: 'inst_wrong', files: [] }), 400, 'bad-request'],
    'an instance that is not there': [
      async () => ({ instance_id: (await newInstance()).replace(/.{4}$/, '0000'), files: [] }),
      404,
      'not-found',
    ],
    'a file without content': [
      async () => ({ instance_id: await newInstance(), files: [{ path: 'double.py' }] }),
      400,
      'bad-request',
    ],
    'base64 that is none': [
      async () => ({ instance_id: await newInstance(), files: [{ path: 'double.py', content_base64: '@@' }] }),
      400,
      'bad-request',
    ],
    'the same path twice': [
      async () => ({ instance_id: await newInstance(), files: [file(WRONG), file(RIGHT)] }),
      400,
      'bad-request',
    ],
  };
  for (const [what, [payload, status, expected]] of Object.entries(bad)) {
    test(what, async () => {
      const body = await payload();
      const before = await submissions();
      const reply = await post('/v1/submissions', body);
      expect(code(reply)).toEqual([status, expected]);
      expect(reply.body.error.message.length).toBeGreaterThan(10);
      expect(reply.body.error.request_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(await submissions()).toBe(before);
    });
  }

  test('paths that leave the root stay behind with a reason, and the signal is there for a person', async () => {
    const files = [file(RIGHT), { path: '../../etc/cron.d/x', content: 'x' }, { path: '/etc/passwd', content: 'x' }];
    const sent = await post('/v1/submissions', { instance_id: await newInstance(), files });
    expect(sent.body.left_behind.map((entry: { reason: string }) => entry.reason)).toEqual([
      'path-escapes',
      'path-escapes',
    ]);
    const reward = (await settled(sent.body.submission_id)).body.items[0];
    expect(reward).toMatchObject({ reward: 1, integrity: 'suspect', flags: ['suspect'] });
  });

  test('hostile names and bytes in files are stored and graded like any others', async () => {
    const files = [
      file(RIGHT),
      { path: 'nul\u0000', content: '' },
      { path: '\ud800', content: '' },
      { path: '-rf\n', content: '' },
    ];
    const sent = await post('/v1/submissions', { instance_id: await newInstance(), files });
    expect(sent.status).toBe(202);
    expect((await settled(sent.body.submission_id)).body.items[0].reward).toBe(1);
  });

  test('text that no database takes is refused wherever it can be sent', async () => {
    const nul = '\u0000x';
    const body = { instance_id: await newInstance(), idempotency_key: nul, files: [] };
    expect(code(await post('/v1/submissions', body))).toEqual([400, 'bad-request']);
    expect(code(await post('/v1/instances', { task: nul }))).toEqual([400, 'bad-request']);
    expect(code(await api.call('admin', { url: '/v1/verdicts/%00' }))).toEqual([400, 'bad-request']);
    expect(code(await api.call('admin', { url: '/v1/submissions/sub_%00' }))).toEqual([400, 'bad-request']);
    expect(code(await post('/v1/rewards', { request_id: nul, items: [] }, 'trainer'))).toEqual([400, 'bad-request']);
    const { items } = (await post('/v1/rewards', { items: [{ id: '1', submission_id: nul }] }, 'trainer')).body;
    expect(items[0]).toMatchObject({ status: 'unscored', fault: 'caller', failure_kind: 'proctor:bad-request' });
  });

  test('an address that cannot be decoded is answered in the same form as all errors', async () => {
    const reply = await api.call('admin', { url: '/v1/verdicts/%ff' });
    expect(code(reply)).toEqual([400, 'bad-request']);
    expect(reply.body.error.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('multipart that is cut off, or a part without a filename, is the caller’s mistake', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const send = (payload: string) => api.call('harness', { method: 'POST', url: '/v1/submissions', payload, headers });
    expect(code(await send('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'))).toEqual([
      400,
      'bad-request',
    ]);
    const nameless =
      '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n';
    expect(code(await send(nameless))).toEqual([400, 'bad-request']);
  });

  test('millions of tiny values are refused before they are made', async () => {
    const reply = await post('/v1/submissions', `{"files":[${'{},'.repeat(250_000)}{}]}`);
    expect(code(reply)).toEqual([413, 'too-large']);
  });

  test('an unknown route and an unknown verdict are 404', async () => {
    expect(code(await api.call('admin', { url: '/v1/nothing' }))).toEqual([404, 'not-found']);
    expect(code(await api.call('admin', { url: '/v1/verdicts/ver_x' }))).toEqual([404, 'not-found']);
    expect(code(await post('/v1/instances', { task: 'no/such' }))).toEqual([404, 'not-found']);
  });

  test('a seed that is no seed is refused', async () => {
    expect(code(await post('/v1/instances', { task: 'test/double', seed: 'with space' }))).toEqual([
      400,
      'bad-request',
    ]);
  });
});
