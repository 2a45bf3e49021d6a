import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { findSessionEnd } from '../../src/stages/session/session-store.ts';
import { freePort } from '../support/free-port.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Program, startProgram } from '../support/program.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const postgres = process.getuid?.() === 0 ? await startPostgres() : null;

if (postgres === null) test.skip('not here: sessions of several processes need root and PostgreSQL', () => undefined);
else describe('sessions of several processes', () => severalProcesses(postgres));

function severalProcesses(server: PostgresServer): void {
  const at = {} as { folder: string; task: string; host: number; door: number; database: Database; key: string };
  const running: { host?: Program; door?: Program } = {};
  const disposals: (() => Promise<unknown>)[] = [server.dispose];
  const settings = (): NodeJS.ProcessEnv => ({
    ...{ PROCTOR_DATA_DIR: at.folder, PROCTOR_DATABASE_URL: server.url, PROCTOR_LOG_LEVEL: 'silent' },
    PROCTOR_SANDBOX_DRIVER: 'bubblewrap',
  });
  const ready = /listens on http/;
  /** Has the workspaces. */
  const startHost = async () => {
    const args = ['serve', '--port', String(at.host), '--tasks', at.task];
    const more = { PROCTOR_ADVERTISE_URL: `http://127.0.0.1:${at.host}` };
    running.host = await startProgram(args, { settings: { ...settings(), ...more }, ready, from: 'src' });
  };
  /** Has none, and is what harnesses know. */
  const startDoor = async () => {
    const args = ['serve', '--api-only', '--port', String(at.door)];
    running.door = await startProgram(args, { settings: settings(), ready, from: 'src' });
  };
  beforeAll(async () => {
    const [scratch, taskFolder] = [await scratchFolder(), await scratchFolder()];
    disposals.push(scratch.dispose, taskFolder.dispose);
    Object.assign(at, {
      folder: scratch.path,
      task: await writeTinyTask(taskFolder.path),
      host: await freePort(),
      door: await freePort(),
    });
    await startHost();
    at.key = /^\s+(\S{20,})$/m.exec(running.host?.printed ?? '')?.[1] ?? '';
    await startDoor();
    at.database = await openDatabase({ url: server.url });
  }, 60_000);
  afterAll(async () => {
    await running.door?.end('SIGTERM');
    await running.host?.end('SIGTERM');
    await at.database.close();
    for (const dispose of disposals.reverse()) await dispose();
  });

  async function call(method: string, path: string, body?: object) {
    const headers = {
      authorization: `Bearer ${at.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const reply = await fetch(`http://127.0.0.1:${at.door}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they then compare
    const told: any = await reply.json();
    return { status: reply.status, body: told };
  }
  const run = (id: string, command: string) =>
    call('POST', `/v1/sessions/${id}/act`, { environment: 'shell', action: 'run', parameters: { command } });
  const open = async () => (await call('POST', '/v1/sessions', { task: 'test/double' })).body.session_id as string;

  test('one without workspaces passes on what is for one that has them', async () => {
    const id = await open();
    expect(await run(id, 'exit 3')).toMatchObject({
      status: 200,
      body: { step: 1, status: 'failed', data: { exit_code: 3 } },
    });
    expect(await run(id, '')).toMatchObject({ status: 400, body: { error: { code: 'bad-request' } } });
    const write = { environment: 'files', action: 'write', parameters: { path: 'double.py', content: RIGHT } };
    await call('POST', `/v1/sessions/${id}/act`, write);
    const end = await call('POST', `/v1/sessions/${id}/finish`);
    expect(end.body).toMatchObject({ outcome: 'finished', steps: 2 });
    await expect
      .poll(async () => (await call('GET', `/v1/submissions/${end.body.submission_id}`)).body.status, {
        timeout: 20_000,
      })
      .toBe('scored');
    expect((await call('GET', `/v1/sessions/${id}/observe`)).body.end).toMatchObject({ outcome: 'finished' });
  });

  test('what is passed on goes to that process, whatever host the request line names', async () => {
    const id = await open();
    const asked: string[] = [];
    const stranger = createServer((request, reply) => {
      asked.push(String(request.headers.authorization));
      reply.end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const line = `POST http://127.0.0.1:${port}/v1/sessions/${id}/finish HTTP/1.1`;
    const socket = connect(at.door, '127.0.0.1');
    socket.write(
      `${line}\r\nhost: x\r\nauthorization: Bearer ${at.key}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    const answer = await text(socket);
    stranger.close();
    expect(asked).toEqual([]);
    expect(answer).toContain('"outcome":"finished"');
  });

  test('a session survives a restart of the API, and the death and restart of the process that holds it', async () => {
    const id = await open();
    await run(id, 'cd /tmp; (while true; do date +%N > clock; sleep 0.05; done) > /dev/null 2>&1 &');
    await running.door?.end('SIGKILL');
    await startDoor();
    expect((await run(id, 'pwd')).body.outputs[0].text).toBe('/tmp\n');
    await running.host?.end('SIGKILL');
    await expect.poll(async () => (await run(id, 'true')).status, { timeout: 20_000 }).toBe(503); // nobody has it just now
    await startHost();
    const again = async () =>
      (await run(id, 'pwd; a=$(cat clock); sleep 0.3; [ "$a" != "$(cat clock)" ] && echo ticking')).body.outputs?.[0]
        ?.text;
    await expect.poll(again, { timeout: 20_000 }).toBe('/tmp\nticking\n');
    expect((await call('POST', `/v1/sessions/${id}/finish`)).body).toMatchObject({
      outcome: 'finished',
      fault: 'none',
    });
  });

  test('sessions of a machine that is gone end as the platform’s fault, with advice to try again, and are no zero', async () => {
    const id = await open();
    // as if its machine had been another one, of which nothing is heard any more
    await at.database.query(
      "INSERT INTO workers (id, name, seen_at) VALUES ('wrk-gone', 'gone', now() - interval '1 hour')",
    );
    await at.database.query("UPDATE live_sessions SET node = 'gone', worker_id = 'wrk-gone' WHERE session_id = $1", [
      id,
    ]);
    await expect
      .poll(() => findSessionEnd(at.database, id), { timeout: 20_000 })
      .toMatchObject({
        artifactId: null,
        body: { outcome: 'failed', fault: 'platform', retry: true, reason: 'its machine gone is gone' },
      });
    await pause(100);
    expect((await call('POST', `/v1/sessions/${id}/finish`)).body).toMatchObject({
      outcome: 'failed',
      submission_id: null,
      retry: true,
    });
  });
}
