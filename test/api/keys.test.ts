import { describe, expect, test } from 'vitest';
import { apiForFile, code } from '../support/http.ts';

const { api, newInstance, post } = apiForFile();

describe('who may do what', () => {
  test('without a key, with a wrong one, and with a revoked one: 401', async () => {
    const url = '/v1/tasks';
    expect(code(await api().call(null, { url }))).toEqual([401, 'unauthenticated']);
    const wrong = api().keys.trainer.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(code(await api().call(null, { url, headers: { authorization: `Bearer ${wrong}` } }))).toEqual([
      401,
      'unauthenticated',
    ]);
    const made = await post('/v1/keys', { name: 'short-lived', role: 'trainer' }, 'admin');
    const headers = { authorization: `Bearer ${made.body.key}` };
    expect((await api().call(null, { url, headers })).status).toBe(200);
    expect((await api().call('admin', { method: 'DELETE', url: `/v1/keys/${made.body.key_id}` })).status).toBe(204);
    expect(code(await api().call(null, { url, headers }))).toEqual([401, 'unauthenticated']);
  });

  test('a role that may not is told which may', async () => {
    const reply = await post('/v1/submissions', { instance_id: await newInstance(), files: [] }, 'trainer');
    expect(code(reply)).toEqual([403, 'forbidden']);
    expect(reply.body.error.message).toContain('harness');
    expect(code(await post('/v1/keys', { name: 'x', role: 'admin' }, 'harness'))).toEqual([403, 'forbidden']);
  });

  test('only digests of keys are stored', async () => {
    const rows = await api().service.parts.database.query('SELECT * FROM api_keys');
    for (const key of Object.values(api().keys)) expect(JSON.stringify(rows)).not.toContain(key.split('_')[2]);
  });

  test('health is open, metrics are not', async () => {
    expect((await api().call(null, { url: '/healthz' })).body).toEqual({ status: 'ok' });
    expect((await api().call(null, { url: '/readyz' })).body).toEqual({ status: 'ready' });
    expect((await api().call(null, { url: '/metrics' })).status).toBe(401);
    expect((await api().call('reviewer', { url: '/metrics' })).text).toContain('proctor_http_request_seconds_count');
  });

  test('the API describes itself, each route with its schema', async () => {
    const { body } = await api().call(null, { url: '/docs/json' });
    expect(Object.keys(body.paths).sort()).toEqual(
      [
        ...[
          '/healthz',
          '/readyz',
          '/v1/admissions',
          '/v1/admissions/{digest}',
          '/v1/instances',
          '/v1/keys',
          '/v1/keys/{id}',
          '/v1/retired-seeds',
          '/v1/rewards',
          '/v1/rewards/{submission_id}',
          '/v1/runs',
          '/v1/runs/{id}',
          '/v1/runs/{id}/{change}',
          '/v1/webhooks',
          '/v1/webhooks/{id}',
          '/v1/task-report',
        ],
        ...['/v1/submissions', '/v1/submissions/{id}', '/v1/tasks', '/v1/verdicts/{id}'],
        ...['/v1/verdicts/{id}/evidence', '/v1/verdicts/{id}/regrade', '/v1/environments', '/v1/sessions'],
        ...['/v1/sessions/import', '/v1/sessions/{id}', '/v1/sessions/{id}/act', '/v1/sessions/{id}/finish'],
        ...['/v1/sessions/{id}/observe', '/v1/sessions/{id}/profile', '/v1/sessions/{id}/outputs/{sha256}'],
        ...['/v1/audit-log', '/v1/reviews', '/v1/reviews/dashboard', '/v1/reviews/group-ruling', '/v1/reviews/{id}'],
        ...['/v1/reviews/{id}/claim', '/v1/reviews/{id}/release', '/v1/reviews/{id}/ruling'],
        ...['/v1/reviews/{id}/undo', '/v1/verdicts/{id}/appeal'],
        ...[
          '/compat/openrlhf/get_reward',
          '/compat/slime/rm',
          '/compat/sandbox-fusion/run_code',
          '/compat/sandbox-fusion/submit',
        ],
        ...['nemo-gym', 'verifiers'].flatMap((gym) =>
          ['seed_session', 'verify', 'aggregate_metrics', 'reverify_mode'].map((name) => `/compat/${gym}/${name}`),
        ),
      ].sort(),
    );
  });
});
