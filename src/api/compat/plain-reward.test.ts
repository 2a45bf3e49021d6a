import { describe, expect, test } from 'vitest';
import type { ApiParts } from '../api-parts.ts';
import type { Answered } from './answer-sample.ts';
import { createBoundedMap } from './bounded-map.ts';
import { plainRewards, rememberSiblings } from './plain-reward.ts';

const FALLBACK = -1;

function answered(status: Answered['item']['status'], more: Partial<Answered['item']> = {}, siblings = 'g'): Answered {
  const item = { status, reward: 0, fault: 'none', failure_kind: 'kind', failure_reason: 'reason', ...more };
  return { item: item as Answered['item'], siblings };
}
const earned = (reward: number, siblings = 'g') => answered('scored', { reward }, siblings);

function pay(answers: readonly Answered[], siblings = rememberSiblings()) {
  const warned: object[] = [];
  const parts = { log: { warn: (told: object) => warned.push(told) } } as unknown as ApiParts;
  const paid = plainRewards({ parts, siblings }, answers, FALLBACK);
  return { paid: paid.map(({ reward, basis }) => [reward, basis]), warned };
}
const NO_RESULT = expect.objectContaining({ code: 'no-result', details: { kind: 'kind' } });

describe('a number for every sample', () => {
  test('what was graded is paid as it is; a quarantined sample gets the mean of its siblings wherever it stands', () => {
    const { paid, warned } = pay([answered('quarantined'), earned(1), earned(0.5), earned(9, 'another group')]);
    expect(paid).toEqual([
      [0.75, 'neutral'],
      [1, 'earned'],
      [0.5, 'earned'],
      [9, 'earned'],
    ]);
    expect(warned).toHaveLength(1);
  });

  test('without graded siblings it gets the fallback; so does a fault of the task or the caller', () => {
    for (const fault of ['task', 'caller', 'none'] as const) {
      expect(pay([answered('unscored', { fault })]).paid).toEqual([[FALLBACK, 'fallback']]);
    }
    expect(pay([answered('quarantined', { fault: 'platform' })]).paid).toEqual([[FALLBACK, 'fallback']]);
  });

  test('an outage is no number: the client is to come again, unless siblings say what is neutral', () => {
    const lost = answered('unscored', { fault: 'platform' });
    expect(() => pay([lost])).toThrow(NO_RESULT);
    expect(pay([lost, earned(0.25)]).paid[0]).toEqual([0.25, 'neutral']);
    expect(() => pay([answered('pending'), earned(1)])).toThrow(NO_RESULT);
    expect(() => pay([answered('unscored', { fault: 'platform' }, 'other'), earned(1)])).toThrow(NO_RESULT);
  });

  test.each([
    ['run-cancelled', 'run-cancelled', 'caller'],
    ['too-many-attempts', 'too-many-attempts', 'caller'],
    ['policy-invalid', 'policy-invalid', 'task'],
    ['task-not-admitted', 'masked', 'task'],
  ] as const)('%s meets every sample until a person acts: it is an error and no number', (kind, code, fault) => {
    const stopped = answered('unscored', { fault, failure_kind: `proctor:${kind}` });
    expect(() => pay([stopped, earned(1)])).toThrow(expect.objectContaining({ code }));
  });

  test('siblings of earlier calls count, and those of nobody do not', () => {
    const siblings = rememberSiblings();
    pay([earned(1), earned(0)], siblings);
    expect(pay([answered('quarantined')], siblings).paid).toEqual([[0.5, 'neutral']]);
    const alone = { ...answered('quarantined'), siblings: null };
    expect(pay([alone], siblings).paid).toEqual([[FALLBACK, 'fallback']]);
  });
});

test('a bounded map forgets what was not asked for the longest', () => {
  const map = createBoundedMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
});
