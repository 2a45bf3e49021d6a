import { expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import type { SessionEvent } from '../session/event.ts';
import { readSteps } from './read-steps.ts';

const event = (type: string, detail: Record<string, unknown>, step = 1): SessionEvent => ({
  ...{ seq: 1, type, at: new Date(0), step, messageId: 'm1', outcome: 'ok', detail, digest: digestOf('e') },
});

test('a step is made of its beginning and its end', () => {
  const events = [
    event('step.began', { environment: 'shell', action: 'run', parameters: { command: 'ls' }, tokens: 12 }),
    event('step.ended', { outputs: [{ name: 'stdout', bytes: 3, sha256: null }], data: { exit_code: 0 }, wall_ms: 7 }),
    event('step.began', { environment: 'shell', action: 'run', parameters_sha256: 'sha256:…' }, 2),
    event('step.void', {}, 2),
  ];
  expect(readSteps(events)).toMatchObject([
    { step: 1, messageId: 'm1', tokens: 12, wallMs: 7, observation: { status: 'ok', exitCode: 0 } },
    { step: 2, action: { parameters: {} }, tokens: null, observation: { status: 'void' } },
  ]);
});

test('what a harness reports is taken in its own shape or in ours', () => {
  const ours = { environment: 'shell', action: 'run', parameters: { command: 'ls' } };
  const [own, other, user] = readSteps([
    event('step.reported', { action: ours, observation: { stdout: 'a' } }, 1),
    event('step.reported', { action: { tool: 'bash', tokens: 5 }, observation: { odd: [1] } }, 2),
    event('step.reported', { action: { role: 'user', content: 'go on' }, observation: {} }, 3),
  ]);
  expect(own).toMatchObject({ action: ours, observation: { text: 'a', status: 'reported' } });
  expect(other).toMatchObject({ action: { environment: 'reported' }, tokens: 5, observation: { text: '{"odd":[1]}' } });
  expect(user?.mark).toEqual({ kind: 'user-turn', text: 'go on' });
});

test('shapes that nobody expects become empty ones', () => {
  const bad = [null, 7, 'text', [1], { environment: 9, action: {}, parameters: 'x', outputs: [null, 1], data: [] }];
  for (const detail of bad) {
    for (const type of ['step.began', 'step.ended', 'step.reported', 'step.void']) {
      const events = [event('step.began', {}), event(type, { action: detail, observation: detail, ...Object(detail) })];
      expect(readSteps(events)).toHaveLength(1);
    }
  }
  expect(readSteps([event('step.ended', {})])).toEqual([]);
});
