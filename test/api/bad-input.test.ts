import { describe, expect, test } from 'vitest';
import { apiForFile, code, file } from '../support/http.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, newInstance, post, settled } = apiForFile();

describe('bad input is answered clearly and nothing is lost', () => {
  const submissions = async () =>
    Number((await api().service.parts.database.query('SELECT count(*)::int AS n FROM artifacts'))[0]?.n);
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
    expect(code(await api().call('admin', { url: '/v1/verdicts/%00' }))).toEqual([400, 'bad-request']);
    expect(code(await api().call('admin', { url: '/v1/submissions/sub_%00' }))).toEqual([400, 'bad-request']);
    expect(code(await post('/v1/rewards', { request_id: nul, items: [] }, 'trainer'))).toEqual([400, 'bad-request']);
    const { items } = (await post('/v1/rewards', { items: [{ id: '1', submission_id: nul }] }, 'trainer')).body;
    expect(items[0]).toMatchObject({ status: 'unscored', fault: 'caller', failure_kind: 'proctor:bad-request' });
  });

  test('an address that cannot be decoded is answered in the same form as all errors', async () => {
    const reply = await api().call('admin', { url: '/v1/verdicts/%ff' });
    expect(code(reply)).toEqual([400, 'bad-request']);
    expect(reply.body.error.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('multipart that is cut off, or a part without a filename, is the caller’s mistake', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const send = (payload: string) =>
      api().call('harness', { method: 'POST', url: '/v1/submissions', payload, headers });
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
    expect(code(await api().call('admin', { url: '/v1/nothing' }))).toEqual([404, 'not-found']);
    expect(code(await api().call('admin', { url: '/v1/verdicts/ver_x' }))).toEqual([404, 'not-found']);
    expect(code(await post('/v1/instances', { task: 'no/such' }))).toEqual([404, 'not-found']);
  });

  test('a seed that is no seed is refused', async () => {
    expect(code(await post('/v1/instances', { task: 'test/double', seed: 'with space' }))).toEqual([
      400,
      'bad-request',
    ]);
  });
});
