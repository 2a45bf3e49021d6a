import { cp, mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { scratchFolder } from '../../test/support/test-service.ts';
import { createLog } from '../platform/base/log.ts';
import type { Database } from '../platform/db/database.ts';
import { openDatabase } from '../platform/db/open-database.ts';
import type { OutsidePost } from '../platform/egress/post-outside.ts';
import { signatureHeaders } from '../stages/reward/webhook.ts';
import { claimMessages, endWebhook, listWebhooks, queueRunEvent, saveWebhook } from '../stages/reward/webhook-store.ts';
import { deliverDue } from './deliver-webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let database: Database;
beforeAll(async () => {
  scratch = await scratchFolder();
  await mkdir(join(scratch.path, 'database'));
  await cp(inject('templateDatabase'), join(scratch.path, 'database'), { recursive: true });
  database = await openDatabase({ folder: join(scratch.path, 'database') });
});
afterAll(async () => {
  await database.close();
  await scratch.dispose();
});
beforeEach(() => database.script('DELETE FROM webhook_messages; DELETE FROM webhooks'));

const enter = (id: string, run: string | null, url = 'https://trainer.example/told') =>
  saveWebhook(database, { id, keyId: 'key', url, run, events: ['run.paused'], secret: SECRET });
const pauseRun = (run: string) => queueRunEvent(database, { type: 'run.paused', run, data: { reason: 'odd' } });
const deliver = (post: (message: OutsidePost) => Promise<number>) =>
  deliverDue({ database, log: createLog('silent'), allow: ['127.0.0.1'], post });

test('a message goes to the webhooks that want it, signed, once', async () => {
  await enter('all', null);
  await enter('mine', 'run-1');
  await enter('other', 'run-2');
  await queueRunEvent(database, { type: 'run.alarm', run: 'run-1', data: {} }); // nobody asked for it
  await pauseRun('run-1');
  const sent: OutsidePost[] = [];
  const post = async (message: OutsidePost) => sent.push(message) && 204;
  expect([await deliver(post), await deliver(post)]).toEqual([2, 0]);
  for (const { headers, body } of sent) {
    expect(JSON.parse(body)).toMatchObject({ type: 'run.paused', data: { run_id: 'run-1', reason: 'odd' } });
    const id = headers['webhook-id'] as string;
    expect(headers).toMatchObject(signatureHeaders({ id, secret: SECRET }, body, Number(headers['webhook-timestamp'])));
  }
  const listed = await listWebhooks(database, 'key');
  expect(listed.map(({ id, delivered, due }) => [id, delivered, due])).toEqual([
    ['all', 1, 0],
    ['mine', 1, 0],
    ['other', 0, 0],
  ]);
});

test('a message that is not taken comes again later under the same id, and is given up after a day', async () => {
  await enter('w', null);
  await pauseRun('run-1');
  const ids: unknown[] = [];
  const post = async ({ headers }: OutsidePost) => {
    ids.push(headers['webhook-id']);
    return 503;
  };
  expect([await deliver(post), await deliver(post)]).toEqual([1, 0]); // not at once
  await database.query('UPDATE webhook_messages SET due_at = now()');
  await deliver(post);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  expect((await listWebhooks(database, 'key'))[0]).toMatchObject({ due: 1, lastFailure: '503' });
  await database.query("UPDATE webhook_messages SET due_at = now(), created_at = now() - interval '1 day'");
  await deliver(async () => Promise.reject(new Error('nobody there')));
  expect((await listWebhooks(database, 'key'))[0]).toMatchObject({ due: 0, givenUp: 1, lastFailure: 'nobody there' });
});

test('what a process took and did not settle is another’s after a while; what an ended webhook was to be told is not sent', async () => {
  await enter('w', null);
  await pauseRun('run-1');
  const [taken] = await claimMessages(database, { limit: 5, leaseSeconds: 0 });
  const [again] = await claimMessages(database, { limit: 5, leaseSeconds: 60 });
  expect([again?.id, again?.tries]).toEqual([taken?.id, 2]);
  expect(await claimMessages(database, { limit: 5, leaseSeconds: 60 })).toEqual([]);
  await database.query('UPDATE webhook_messages SET due_at = now()');
  await expect(endWebhook(database, 'w', 'another key')).rejects.toMatchObject({ code: 'not-found' });
  await endWebhook(database, 'w', 'key');
  expect(await deliver(async () => 200)).toBe(0);
});

test('over the network: a redirect is not followed, and its answer is no delivery', async () => {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`);
    reply.writeHead(302, { location: '/elsewhere' }).end('x'.repeat(100_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await enter('w', null, `http://127.0.0.1:${port}/told`);
  await pauseRun('run-1');
  expect(await deliverDue({ database, log: createLog('silent'), allow: ['127.0.0.1'] })).toBe(1);
  expect([asked, (await listWebhooks(database, 'key'))[0]?.lastFailure]).toEqual([['POST /told'], '302']);
  await database.query('UPDATE webhook_messages SET due_at = now()');
  await deliverDue({ database, log: createLog('silent'), allow: [] });
  expect(asked).toHaveLength(1);
  server.close();
});

test('a key has so many webhooks at a time, each of which is a row for every reward', async () => {
  for (let n = 0; n < 100; n++) await enter(`w${n}`, null);
  await expect(enter('one more', null)).rejects.toMatchObject({ code: 'conflict' });
  await endWebhook(database, 'w7', 'key');
  await enter('one more', null);
});
