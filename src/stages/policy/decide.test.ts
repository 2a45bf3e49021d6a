import { expect, test } from 'vitest';
import { decide } from './decide.ts';
import { ACTIONS, decisionBodySchema, type PolicyRules } from './policy.ts';

type Rule = PolicyRules['rules'][number];

const HONEST = { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none' } as const;

const rule = (id: string, when: Rule['when'], decided: Rule['decide']): Rule => ({
  id,
  about: 'x',
  when,
  decide: decided,
});
const policy = (...rules: Rule[]): PolicyRules => ({
  ...{ id: 'test', version: 1, about: 'x', unadmitted: 'refuse', rules, cases: [] },
});

test('what no rule speaks of is accepted in full', () => {
  const never = rule('never', { integrity: 'violated' }, { action: 'reject', weight: 0 });
  expect(decide(HONEST, policy(never))).toEqual({ action: 'accept', weight: 1, mask: false, flags: [], rules: [] });
});

test('a rule fires only when all that it names hold', () => {
  const both = policy(rule('both', { outcome: 'passed', integrity: 'suspect' }, { action: 'reject', weight: 1 }));
  expect(decide({ ...HONEST, integrity: 'suspect' }, both).action).toBe('reject');
  expect(decide(HONEST, both).action).toBe('accept');
  expect(decide({ ...HONEST, outcome: 'failed', integrity: 'suspect' }, both).action).toBe('accept');
});

test('a list in a condition means any of them', () => {
  const any = policy(rule('any', { assurance: ['plain', 'witnessed'] }, { action: 'down-weight', weight: 0.5 }));
  expect(decide({ ...HONEST, assurance: 'witnessed' }, any).weight).toBe(0.5);
  expect(decide({ ...HONEST, assurance: 'plain' }, any).weight).toBe(0.5);
  expect(decide(HONEST, any).weight).toBe(1);
  expect(decide({ ...HONEST, assurance: null }, any).weight).toBe(1);
});

test.each(ACTIONS.flatMap((first, i) => ACTIONS.map((second, j) => [first, second, ACTIONS[Math.max(i, j)]] as const)))(
  'of %s and %s the harder one counts: %s',
  (first, second, harder) => {
    const rules = [first, second].map((action, n) => rule(`r${n}`, { outcome: 'passed' }, { action, weight: 1 }));
    expect(decide(HONEST, policy(...rules)).action).toBe(harder);
  },
);

test('of several weights the least counts, and every rule that fired is named with its own', () => {
  const decided = decide(
    HONEST,
    policy(
      rule('half', { outcome: 'passed' }, { action: 'down-weight', weight: 0.5, flag: 'doubt' }),
      rule('other', { integrity: 'suspect' }, { action: 'reject', weight: 0 }),
      rule('fifth', { integrity: 'clean' }, { action: 'accept', weight: 0.2, flag: 'doubt' }),
    ),
  );
  expect(decided).toEqual({
    ...{ action: 'down-weight', weight: 0.2, mask: false, flags: ['doubt'] },
    rules: [
      { id: 'half', weight: 0.5 },
      { id: 'fifth', weight: 0.2 },
    ],
  });
  expect(decisionBodySchema.parse(decided)).toEqual(decided);
});

test('what is quarantined is masked and weighs nothing', () => {
  const held = policy(rule('held', { outcome: 'passed' }, { action: 'quarantine', weight: 1, flag: 'look' }));
  expect(decide(HONEST, held)).toMatchObject({ action: 'quarantine', weight: 0, mask: true, flags: ['look'] });
});

const LIFTS_EVERYTHING = policy(
  rule('lift', { outcome: ['passed', 'failed', 'ungraded'] }, { action: 'accept', weight: 1 }),
  rule('punish', { integrity: ['unknown', 'clean'] }, { action: 'reject', weight: 1 }),
);

test('no policy pays or punishes what was not graded', () => {
  const law = {
    action: 'quarantine',
    weight: 0,
    mask: true,
    flags: [],
    rules: [{ id: 'law:ungraded-is-masked', weight: 0 }],
  };
  for (const integrity of ['clean', 'suspect', 'violated', 'unknown'] as const) {
    const verdict = { ...HONEST, outcome: 'ungraded', integrity, assurance: null, fault: 'platform' } as const;
    expect(decide(verdict, LIFTS_EVERYTHING), integrity).toEqual(law);
  }
});

test('no policy pays or punishes what is not known to be honest', () => {
  for (const outcome of ['passed', 'failed'] as const) {
    expect(decide({ ...HONEST, outcome, integrity: 'unknown' }, LIFTS_EVERYTHING), outcome).toMatchObject({
      ...{ action: 'quarantine', weight: 0, mask: true },
      rules: [{ id: 'law:unknown-is-masked' }],
    });
  }
});
