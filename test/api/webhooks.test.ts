import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/api/keys.ts';
import { signatureHeaders } from '../../src/stages/reward/webhook.ts';
import { queueRewardEvent, queueRunEvent, saveWebhook } from '../../src/stages/reward/webhook-store.ts';
import { testApi } from '../support/api-client.ts';
import { code, file } from '../support/http.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

describe('webhooks', () => {
  let api: Awaited<ReturnType<typeof testApi>>;
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  const told: { headers: IncomingHttpHeaders; body: string }[] = [];
  const trainer = createServer(async (request, reply) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    told.push({ headers: request.headers, body });
    reply.end();
  });
  let url: string;
  beforeAll(async () => {
    scratch = await scratchFolder();
    const tasks = [await writeTinyTask(scratch.path)];
    api = await testApi({ tasks, environment: { PROCTOR_WEBHOOK_ALLOW: '127.0.0.1' } });
    trainer.listen(0, '127.0.0.1');
    await once(trainer, 'listening');
    url = `http://127.0.0.1:${(trainer.address() as { port: number }).port}/told`;
  });
  afterAll(async () => {
    trainer.close();
    await api.dispose();
    await scratch.dispose();
  });
  const post = (path: string, payload: object) => api.call('trainer', { method: 'POST', url: path, payload });

  test('a trainer is told by a signed call that a reward of its run is there, and later that it is another', async () => {
    const made = await post('/v1/webhooks', { url, run_id: 'run-1', events: ['reward.final', 'reward.amended'] });
    expect([made.status, made.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    const { instance_id } = (await post('/v1/instances', { task: 'test/double' })).body;
    const item = { id: '1', group_id: 'g', instance_id, artifact: { files: [file(RIGHT)] } };
    await post('/v1/rewards', { run_id: 'run-2', items: [item] });
    const { submission_id } = (await post('/v1/rewards', { run_id: 'run-1', step: 3, items: [item] })).body.items[0];
    await expect.poll(() => told.length, { timeout: 10_000 }).toBe(1);
    const { database } = api.service.parts;
    await database.transaction((transaction) => queueRewardEvent(transaction, { artifactId: submission_id }));
    await expect.poll(() => told.length, { timeout: 10_000 }).toBe(2);
    expect(told.map(({ body }) => JSON.parse(body).type)).toEqual(['reward.final', 'reward.amended']);
    for (const { headers, body } of told) {
      expect(JSON.parse(body).data).toEqual({
        ...{ submission_id, run_id: 'run-1', group_id: 'g', step: 3, reward_uri: `/v1/rewards/${submission_id}` },
      });
      const message = { id: String(headers['webhook-id']), secret: made.body.secret };
      expect(headers).toMatchObject(signatureHeaders(message, body, Number(headers['webhook-timestamp'])));
    }
    const listed = async () => (await api.call('trainer', { url: '/v1/webhooks' })).body.webhooks;
    await expect.poll(async () => (await listed())[0]?.messages).toEqual({ due: 0, delivered: 2, given_up: 0 });
    expect(JSON.stringify(await listed())).not.toContain(made.body.secret);
    const path = `/v1/webhooks/${made.body.webhook_id}`;
    expect(code(await api.call('harness', { method: 'DELETE', url: path }))).toEqual([404, 'not-found']);
    expect((await api.call('trainer', { method: 'DELETE', url: path })).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  test('a target inside that is not named in the settings is refused', async () => {
    for (const target of ['http://10.0.0.1/', 'https://169.254.169.254/', 'http://trainer.example/']) {
      expect(code(await post('/v1/webhooks', { url: target }))).toEqual([400, 'bad-request']);
    }
    expect(code(await post('/v1/webhooks', { url, events: ['nonsense'] }))).toEqual([400, 'bad-request']);
  });

  test('a key that is revoked is told nothing any more', async () => {
    const { database } = api.service.parts;
    const { id } = await createKey(database, { name: 'left', role: 'trainer' });
    const webhook = { id: 'hook_left', keyId: id, url, run: 'run-9', events: ['run.paused'] as const };
    await saveWebhook(database, { ...webhook, events: [...webhook.events], secret: 'whsec_AAAA' });
    expect((await api.call('admin', { method: 'DELETE', url: `/v1/keys/${id}` })).status).toBeLessThan(300);
    const before = told.length;
    await database.transaction((t) => queueRunEvent(t, { type: 'run.paused', run: 'run-9', data: {} }));
    const listed = (await api.call('admin', { url: '/v1/webhooks' })).body.webhooks;
    expect(listed.filter(({ run_id }: { run_id: string }) => run_id === 'run-9')).toEqual([]);
    const [row] = await database.query("SELECT count(*)::int AS n FROM webhook_messages WHERE type = 'run.paused'");
    expect([row?.n, told.length]).toEqual([0, before]);
  });
});
