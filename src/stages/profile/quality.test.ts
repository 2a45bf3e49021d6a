import { describe, expect, test } from 'vitest';
import type { SessionEvent } from '../session/event.ts';
import { qualityOf, validityOf } from './quality.ts';
import { type Move, movesOf, movesOfTrajectory } from './quality-moves.ts';

const move = (action: string, changed: boolean | null = false, shownBytes: number | null = 9): Move => ({
  ...{ action, changed, shownBytes },
});
const moves = (actions: string) => [...actions].map((action) => move(action));

describe('validity', () => {
  test('steps that each do something else are all valid, and none at all say nothing', () => {
    expect(validityOf(moves('abcdef')).validity).toBe(1);
    expect(validityOf([]).validity).toBeNull();
  });

  test('asking the same again is wasted while nothing has changed, and not after a change', () => {
    expect(validityOf([move('test'), move('look'), move('test')])).toMatchObject({ repeated: 1, looping: 0 });
    expect(validityOf([move('test'), move('edit', true, 0), move('test')])).toMatchObject({ repeated: 0, validity: 1 });
  });

  test('the third round of a loop is wasted even where each round changes something', () => {
    const round = [move('edit', true), move('test')];
    expect(validityOf([...round, ...round])).toMatchObject({ looping: 0 });
    expect(validityOf([...round, ...round, ...round, ...round])).toMatchObject({ looping: 4 });
    expect(validityOf([move('x', true), move('x', true), move('x', true)])).toMatchObject({ looping: 1 });
  });

  test('a step that shows nothing and changes nothing is idle; one of which nobody knows is not', () => {
    expect(validityOf([move(':', false, 0), move('b')])).toMatchObject({ idle: 1, validity: 0.5 });
    expect(validityOf([move(':', null, 0), move(':', false, null)])).toMatchObject({ idle: 0 });
  });

  test('a step is counted once, so validity never falls below what the first round is worth', () => {
    const { repeated, looping, idle, steps } = validityOf(Array.from({ length: 50 }, () => move('a', false, 0)));
    expect(repeated + looping + idle).toBe(steps);
  });
});

describe('moves', () => {
  const event = (type: string, step: number, rest: Partial<SessionEvent> = {}): SessionEvent => ({
    ...{ seq: 1, type, at: new Date(0), step, messageId: null, outcome: 'ok', detail: {}, digest: 'sha256:0' },
    ...rest,
  });

  test('tell what a recorder saw of each step, and not what nobody saw', () => {
    const began = { detail: { environment: 'shell', action: 'run', parameters: { command: 'ls' } } };
    const [seen, unseen, silent] = movesOf([
      event('step.began', 1, began),
      event('file.written', 1, { detail: { path: '/work/a.py' } }),
      event('step.ended', 1, { detail: { outputs: [{ bytes: 3 }, { bytes: 4 }] } }),
      event('step.recorded', 1, { detail: { backend: 'strace' } }),
      event('step.began', 2, began),
      event('step.recorded', 2, { detail: { backend: 'none' } }),
      event('step.began', 3, began),
      event('file.written', 3, { detail: { path: '/dev/null' } }),
      event('step.recorded', 3, { detail: { backend: 'strace' } }),
    ]);
    expect(seen).toMatchObject({ changed: true, shownBytes: 7 });
    expect(unseen).toMatchObject({ changed: null, shownBytes: null, action: seen?.action });
    expect(silent).toMatchObject({ changed: false });
  });

  test('of an imported session tell repetition only', () => {
    const told = movesOfTrajectory({ steps: ['ls', 'ls', 'cat a'].map((command) => ({ command })) });
    expect(validityOf(told)).toMatchObject({ repeated: 1, idle: 0 });
  });

  test('read a log whose details are of any shape', () => {
    const odd = [
      event('step.began', 1, { detail: { parameters: null } }),
      event('step.ended', 1, { detail: { outputs: [null, 7, { bytes: 'many' }] } }),
      event('file.written', 9, { detail: { path: 5 } }),
    ];
    expect(movesOf(odd)).toHaveLength(1);
  });
});

describe('quality', () => {
  const parts = { completion: 1, validity: 0.5, novelty: 0 };

  test('is half completion, three tenths validity and two tenths novelty, unless a caller weighs them otherwise', () => {
    expect(qualityOf(parts)).toBeCloseTo(0.65);
    expect(qualityOf(parts, { completion: 0, validity: 1, novelty: 1 })).toBeCloseTo(0.25);
  });

  test('leaves out what is not known, and is unknown without anything', () => {
    expect(qualityOf({ completion: 1, validity: null, novelty: Number.NaN })).toBe(1);
    expect(qualityOf({ completion: null, validity: null, novelty: null })).toBeNull();
    expect(qualityOf(parts, { completion: 0, validity: 0, novelty: 0 })).toBeNull();
  });

  test('stays between 0 and 1 whatever is handed in', () => {
    expect(qualityOf({ completion: 7, validity: -3, novelty: Number.POSITIVE_INFINITY })).toBeLessThanOrEqual(1);
    expect(qualityOf({ completion: -1, validity: -1, novelty: -1 })).toBe(0);
  });
});
