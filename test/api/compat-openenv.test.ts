import { afterAll, describe, expect, test } from 'vitest';
import { compatForFile } from '../support/compat-kit.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api } = compatForFile({ sessions: true });
const sockets: { terminate(): void }[] = [];
afterAll(() => {
  for (const socket of sockets) socket.terminate();
});

/** A client that says one thing at a time, with its key in the path as OpenEnv’s must have it. */
async function connect(key = api().keys.harness) {
  await api().app.ready();
  const socket = await api().app.injectWS(`/compat/k/${key}/openenv/ws`);
  sockets.push(socket);
  const ask = (message: object | string) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests look into what they then compare
    new Promise<any>((resolve) => {
      socket.once('message', (raw: Buffer) => resolve(JSON.parse(String(raw))));
      socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    });
  return {
    socket,
    ask,
    reset: async (data: object) => (await ask({ type: 'reset', data })).data,
    step: async (data: object) => (await ask({ type: 'step', data })).data,
  };
}
const write = (content: string) => ({
  environment: 'files',
  action: 'write',
  parameters: { path: 'double.py', content },
});

describe('an episode over a WebSocket', () => {
  test('reset, step and finish: the reward comes with the last observation', async () => {
    const { ask, reset, step } = await connect();
    const first = await reset({ task: 'test/double', seed: 3, episode_id: 'e-1' });
    expect([first.reward, first.done, first.observation.instruction]).toEqual([
      ...[null, false, 'Write double(x) in double.py.\n'],
    ]);
    const ran = await step({ command: 'echo here', metadata: {} });
    expect([ran.done, ran.observation.outputs[0].text]).toEqual([false, 'here\n']);
    expect((await step(write(RIGHT))).observation.status).toBe('ok');
    const last = await step({ finish: true });
    expect([last.done, last.reward, last.observation.reward.mask_sample]).toEqual([true, 1, false]);
    expect((await ask({ type: 'state' })).data).toMatchObject({ episode_id: 'e-1', step_count: 2, done: true });
    expect(await step({ finish: true })).toMatchObject({ done: true, reward: 1 });
    const late = await ask({ type: 'step', data: { command: 'true' } });
    expect([late.type, late.data.message]).toEqual(['error', expect.stringContaining('conflict')]);
  });

  test('a sample that is not for learning has no reward, and says why', async () => {
    const { reset, step } = await connect();
    await reset({ task: 'test/doubtful' });
    await step(write(WRONG));
    const last = await step({ finish: true });
    expect([last.done, last.reward, last.observation.reward.failure_kind]).toEqual([
      ...[true, null, 'proctor:quarantined'],
    ]);
  });

  test('a trainer may name the session afterwards, and not before it has ended', async () => {
    const { reset, step } = await connect();
    const { observation } = await reset({ task: 'test/double' });
    const reward = () => {
      const payload = { prompt: '', response: 'not looked at', label: observation.session_id };
      return api().call('trainer', { method: 'POST', url: '/compat/slime/rm?detail=1', payload });
    };
    expect((await reward()).body).toMatchObject({ basis: 'fallback', failure_kind: 'proctor:conflict' });
    await step(write(RIGHT));
    await step({ finish: true });
    expect((await reward()).body).toMatchObject({ reward: 1, basis: 'earned' });
  });

  test('a session whose client goes away is given up', async () => {
    const { socket, reset } = await connect();
    const { observation } = await reset({ task: 'test/double' });
    socket.terminate();
    const seen = async () =>
      (await api().call('harness', { url: `/v1/sessions/${observation.session_id}/observe` })).body.end?.outcome;
    await expect.poll(seen, { timeout: 20_000 }).toBe('abandoned');
  });

  test.each([
    ['text that is not JSON', '{', 'INVALID_JSON'],
    ['a message of no kind', { type: 'mcp' }, 'UNKNOWN_TYPE'],
    ['a step before a reset', { type: 'step', data: { command: 'true' } }, 'EXECUTION_ERROR'],
    ['a reset without a task', { type: 'reset', data: {} }, 'VALIDATION_ERROR'],
    ['a reset on a session that is there', { type: 'reset', data: { session_id: 'sess_x' } }, 'VALIDATION_ERROR'],
  ])('%s is an error message, and the connection stays', async (_name, message, expected) => {
    const { ask } = await connect();
    expect((await ask(message)).data.code).toBe(expected);
    expect((await ask({ type: 'state' })).type).toBe('state');
  });

  test('a step that is none is an error, and makes none', async () => {
    const { ask, reset } = await connect();
    await reset({ task: 'test/double' });
    for (const data of [{}, { environment: 'none', action: 'x' }, { command: 7 }, { finish: 'yes' }]) {
      expect((await ask({ type: 'step', data })).data.code).toBe('VALIDATION_ERROR');
    }
    expect((await ask({ type: 'state' })).data.step_count).toBe(0);
  });

  test('a trainer’s key opens no sessions', async () => {
    await expect(connect(api().keys.trainer)).rejects.toThrow('403');
  });
});
