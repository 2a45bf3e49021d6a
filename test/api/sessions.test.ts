import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApi } from '../support/api-client.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const opened = {} as { api: Awaited<ReturnType<typeof testApi>>; dispose: () => Promise<void> };
beforeAll(async () => {
  const scratch = await scratchFolder();
  opened.api = await testApi({ tasks: [await writeTinyTask(scratch.path)], sessions: true });
  opened.dispose = scratch.dispose;
});
afterAll(async () => {
  await opened.api.dispose();
  await opened.dispose();
});
const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  opened.api.call('harness', { method, url, ...(payload === undefined ? {} : { payload }) });
const post = (url: string, payload: object = {}) => call('POST', url, payload);
const run = (id: string, command: string, more: object = {}) =>
  post(`/v1/sessions/${id}/act`, { environment: 'shell', action: 'run', parameters: { command }, ...more });
const open = async () => (await post('/v1/sessions', { task: 'test/double' })).body.session_id as string;

describe('the way of a session', () => {
  test('open, act, observe, finish and reward', async () => {
    const session = await post('/v1/sessions', { task: 'test/double' });
    expect([session.status, session.body]).toMatchObject([
      201,
      {
        origin: 'workspace',
        instruction: 'Write double(x) in double.py.\n',
        recorder: { backend: 'strace' },
        budgets: { steps: null },
      },
    ]);
    const id = session.body.session_id;
    expect(JSON.stringify(session.body)).not.toContain('seed');
    const parameters = { path: 'double.py', content: RIGHT };
    expect(
      (await post(`/v1/sessions/${id}/act`, { environment: 'files', action: 'write', parameters })).body,
    ).toMatchObject({ step: 1, status: 'ok' });
    const acted = await run(id, 'echo out; echo err >&2; exit 4', { message_id: 'msg-7', tokens: 12 });
    expect(acted.body).toMatchObject({
      ...{ step: 2, environment: 'shell', action: 'run', status: 'failed', error: { code: 'exit-status' } },
      outputs: [
        { name: 'stdout', text: 'out\n' },
        { name: 'stderr', text: 'err\n' },
      ],
      data: { exit_code: 4, cwd: '/work' },
    });
    const end = await post(`/v1/sessions/${id}/finish`);
    expect(end.body).toMatchObject({ session_id: id, outcome: 'finished', steps: 2, retry: false });
    await expect
      .poll(async () => (await call('GET', `/v1/submissions/${end.body.submission_id}`)).body.status, {
        timeout: 20_000,
      })
      .toBe('scored');
    const seen = await opened.api.call('reviewer', { url: `/v1/sessions/${id}/observe?after=0&limit=1000` });
    expect(seen.body.end).toMatchObject({ outcome: 'finished', log: seen.body.events.at(-1).digest });
    expect(seen.body.events.find(({ type }: { type: string }) => type === 'process.executed')).toMatchObject({
      step: 2,
      message_id: 'msg-7',
    });
    const url = `/v1/sessions/${id}/profile`;
    expect((await opened.api.call('reviewer', { url })).body).toMatchObject({
      ...{ session_id: id, submission_id: end.body.submission_id },
      profile: { cohort: 'test/double', reference: null, p: null, weight: 1, reason: 'unknown' },
    });
    expect((await opened.api.call('trainer', { url })).status).toBe(403);
    const later = await call('GET', `/v1/sessions/${id}/observe?after=${seen.body.events.length - 1}`);
    expect(later.body.events.map(({ type }: { type: string }) => type)).toEqual(['session.finished']);
    expect((await post(`/v1/sessions/${id}/finish`)).body).toEqual(end.body);
    expect(await run(id, 'true')).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });

  test('one idempotency key opens one session of a task, also when it is asked for twice at once', async () => {
    const asked = { task: 'test/double', idempotency_key: 'once' };
    const [one, other] = await Promise.all([post('/v1/sessions', asked), post('/v1/sessions', asked)]);
    expect([one.status, other.status, other.body.session_id]).toEqual([201, 201, one.body.session_id]);
    expect((await post('/v1/sessions', asked)).body.session_id).toBe(one.body.session_id);
    expect((await post('/v1/sessions', { ...asked, seed: 'another' })).status).toBe(409);
  });

  test('a step under an id of the caller’s is made once', async () => {
    const id = await open();
    const [one, other] = await Promise.all([
      run(id, 'echo x >> log; cat log', { step_id: 'a' }),
      run(id, 'echo x >> log', { step_id: 'a' }),
    ]);
    expect([one.body.step, other.body]).toEqual([1, one.body]);
    expect((await run(id, 'cat log', { step_id: 'b' })).body).toMatchObject({
      step: 2,
      outputs: [{ text: 'x\n' }, {}],
    });
  });

  test('the whole of an output can be fetched, and of no other session', async () => {
    const id = await open();
    const { sha256 } = (await run(id, 'seq 20000')).body.outputs[0];
    const whole = await call('GET', `/v1/sessions/${id}/outputs/${sha256}`);
    expect([whole.status, whole.text.length]).toEqual([200, 108_894]);
    expect((await call('GET', `/v1/sessions/${await open()}/outputs/${sha256}`)).status).toBe(404);
    expect((await call('GET', `/v1/sessions/${id}/outputs/sha256:${'0'.repeat(64)}`)).status).toBe(404);
    await run(id, 'seq 20000 > large');
    const read = { environment: 'files', action: 'read', parameters: { path: 'large', offset: 108_884, limit: 20 } };
    expect((await post(`/v1/sessions/${id}/act`, read)).body.outputs[0]).toMatchObject({
      text: '999\n20000\n',
      bytes: 108_894,
    });
  });

  test('what is given up hands nothing in', async () => {
    const id = await open();
    expect((await call('DELETE', `/v1/sessions/${id}`)).body).toMatchObject({
      outcome: 'abandoned',
      submission_id: null,
    });
    expect((await post(`/v1/sessions/${id}/finish`)).body).toMatchObject({ outcome: 'abandoned', submission_id: null });
  });

  test('the ways to act are told with the shape of their parameters', async () => {
    const { body } = await call('GET', '/v1/environments');
    const shell = body.environments.find(({ name }: { name: string }) => name === 'shell');
    expect(shell.actions[0]).toMatchObject({ name: 'run', parameters: { type: 'object', required: ['command'] } });
  });

  test.each([
    ['no instance and no task', '/v1/sessions', {}, 400],
    ['both', '/v1/sessions', { task: 'a', instance_id: 'inst_0' }, 400],
    ['a task that is not there', '/v1/sessions', { task: 'none' }, 404],
    ['an instance that is not there', '/v1/sessions', { instance_id: `inst_${'0'.repeat(29)}` }, 404],
    [
      'a session that is not there',
      '/v1/sessions/sess_none/act',
      { environment: 'shell', action: 'run', parameters: { command: 'true' } },
      404,
    ],
    ['no action', '/v1/sessions/sess_none/act', {}, 400],
    ['negative tokens', '/v1/sessions/sess_none/act', { environment: 'shell', action: 'run', tokens: -1 }, 400],
  ])('%s is refused in words', async (...[, url, payload, status]) => {
    const reply = await post(url, payload);
    expect([reply.status, typeof reply.body.error.mend]).toEqual([status, 'string']);
  });

  test('a trainer may look, and only a harness may act', async () => {
    const id = await open();
    expect((await opened.api.call('trainer', { url: `/v1/sessions/${id}/observe` })).status).toBe(200);
    expect((await opened.api.call('trainer', { method: 'POST', url: `/v1/sessions/${id}/finish` })).status).toBe(403);
    expect((await opened.api.call(null, { url: `/v1/sessions/${id}/observe` })).status).toBe(401);
  });
});

describe('the stream of a session', () => {
  /** All messages until the stream is closed. */
  async function follow(id: string, after: number) {
    const headers = { authorization: `Bearer ${opened.api.keys.harness}` };
    const messages: { kind: string; event?: { seq: number; type: string }; stream?: string; base64?: string }[] = [];
    const socket = await opened.api.app.injectWS(
      `/v1/sessions/${id}/stream?after=${after}`,
      { headers },
      {
        onInit: (client: { on(name: string, take: (data: Buffer) => void): void }) =>
          client.on('message', (data) => void messages.push(JSON.parse(data.toString()))),
      },
    );
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { messages, closed };
  }

  test('tells events and output as they come, ends with the session, and goes on from a number', async () => {
    const id = await open();
    const { messages, closed } = await follow(id, 0);
    await run(id, 'echo one; sleep 0.2; echo two >&2');
    await call('DELETE', `/v1/sessions/${id}`);
    await closed;
    const written = messages
      .filter(({ kind }) => kind === 'output')
      .map(({ stream, base64 = '' }) => [stream, Buffer.from(base64, 'base64').toString()]);
    expect(written).toEqual([
      ['stdout', 'one\n'],
      ['stderr', 'two\n'],
    ]);
    const events = messages.flatMap(({ event }) => event ?? []);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('session.abandoned');
    expect(messages.at(-1)?.kind).toBe('end');
    const again = await follow(id, events.length - 2);
    await again.closed;
    expect(again.messages.map(({ kind }) => kind)).toEqual(['event', 'event', 'end']);
  });

  test('is for those who may read it', async () => {
    const id = await open();
    await expect(opened.api.app.injectWS(`/v1/sessions/${id}/stream`)).rejects.toThrow(/401/);
    const headers = { authorization: `Bearer ${opened.api.keys.harness}` };
    await expect(opened.api.app.injectWS('/v1/sessions/sess_none/stream', { headers })).rejects.toThrow(/404/);
  });
});

describe('a session that a harness brings', () => {
  test('is kept as its own word, graded like any other, and taken once', async () => {
    const instance = (await post('/v1/instances', { task: 'test/double' })).body.instance_id;
    const payload = {
      ...{ instance_id: instance, idempotency_key: 'brought', files: [{ path: 'double.py', content: RIGHT }] },
      steps: [{ message_id: 'm1', action: { tool: 'bash', input: 'ls' }, observation: { output: 'double.py\u0000' } }],
    };
    const brought = await post('/v1/sessions/import', payload);
    expect([brought.status, brought.body]).toMatchObject([201, { outcome: 'finished', steps: 1, events: 3 }]);
    expect((await post('/v1/sessions/import', payload)).body).toEqual(brought.body);
    const seen = await call('GET', `/v1/sessions/${brought.body.session_id}/observe`);
    expect(seen.body.session).toMatchObject({ origin: 'self-reported', driver: null, recorder: { backend: 'none' } });
    expect(seen.body.events[1]).toMatchObject({
      type: 'step.reported',
      step: 1,
      message_id: 'm1',
      outcome: 'self-reported',
    });
    expect((await run(brought.body.session_id, 'true')).status).toBe(409);
    await expect
      .poll(async () => (await call('GET', `/v1/submissions/${brought.body.submission_id}`)).body.status, {
        timeout: 20_000,
      })
      .toBe('scored');
  });
});

test('an import never takes over a session of a workspace', async () => {
  const instance = (await post('/v1/instances', { task: 'test/double' })).body.instance_id;
  const asked = { instance_id: instance, idempotency_key: 'shared' };
  const session = await post('/v1/sessions', asked);
  const brought = await post('/v1/sessions/import', { ...asked, files: [], steps: [] });
  expect([brought.status, brought.body.session_id === session.body.session_id]).toEqual([201, false]);
  expect((await run(session.body.session_id, 'echo mine')).body.outputs[0].text).toBe('mine\n');
});

test('a process without workspaces says so', async () => {
  const bare = await testApi();
  const reply = await bare.call('harness', { method: 'POST', url: '/v1/sessions', payload: { task: 'x' } });
  expect(reply).toMatchObject({ status: 503, body: { error: { code: 'capability-missing' } } });
  await bare.dispose();
});
