import { expect, test } from 'vitest';
import { compileRules } from './compile-rules.ts';
import type { DecisionContext } from './context.ts';
import { decide } from './decide.ts';
import { ACTIONS, decisionBodySchema } from './policy.ts';
import { type CaseGiven, DEFAULTS, type Policy, type Rule } from './policy-file.ts';
import { caseContext } from './run-cases.ts';

const HONEST = { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', signals: [] } as const;
const given = (more: Partial<CaseGiven> = {}): DecisionContext =>
  caseContext({ ...HONEST, ...more, signals: more.signals ?? [] });

const rule = (id: string, when: Rule['when'], decided: Rule['decide']): Rule => ({
  id,
  about: 'x',
  when,
  decide: decided,
});
const fault = (field: string, message: string) => {
  throw new Error(`${field}: ${message}`);
};
const policyWith = (more: Partial<Policy['rules']>, ...rules: Rule[]): Policy => ({
  rules: {
    ...{ ...DEFAULTS, id: 'test', version: 1, about: 'x', extends: null, applies_to: null, rules, cases: [] },
    enforce: [],
    ...more,
  },
  compiled: compileRules(rules, fault),
  ...{ source: '', digest: 'sha256:' },
});
const policy = (...rules: Rule[]): Policy => policyWith({}, ...rules);

test('what no rule speaks of is accepted in full', () => {
  const never = rule('never', { integrity: 'violated' }, { action: 'reject', weight: 0 });
  expect(decide(given(), policy(never))).toEqual({ action: 'accept', weight: 1, mask: false, flags: [], rules: [] });
});

test('a rule fires only when all that it names hold', () => {
  const both = policy(rule('both', { outcome: 'passed', integrity: 'suspect' }, { action: 'reject', weight: 1 }));
  expect(decide(given({ integrity: 'suspect' }), both).action).toBe('reject');
  expect(decide(given(), both).action).toBe('accept');
  expect(decide(given({ outcome: 'failed', integrity: 'suspect' }), both).action).toBe('accept');
});

test('a list in a condition means any of them', () => {
  const any = policy(rule('any', { assurance: ['plain', 'witnessed'] }, { action: 'down-weight', weight: 0.5 }));
  expect(decide(given({ assurance: 'witnessed' }), any).weight).toBe(0.5);
  expect(decide(given({ assurance: 'plain' }), any).weight).toBe(0.5);
  expect(decide(given(), any).weight).toBe(1);
  expect(decide(given({ assurance: null }), any).weight).toBe(1);
});

test.each(ACTIONS.flatMap((first, i) => ACTIONS.map((second, j) => [first, second, ACTIONS[Math.max(i, j)]] as const)))(
  'of %s and %s the harder one counts: %s',
  (first, second, harder) => {
    const rules = [first, second].map((action, n) => rule(`r${n}`, { outcome: 'passed' }, { action, weight: 1 }));
    expect(decide(given(), policy(...rules)).action).toBe(harder);
  },
);

test('of several weights the least counts, and every rule that fired is named with its own', () => {
  const decided = decide(
    given(),
    policy(
      rule('half', { outcome: 'passed' }, { action: 'down-weight', weight: 0.5, flag: 'doubt' }),
      rule('other', { integrity: 'suspect' }, { action: 'reject', weight: 0 }),
      rule('fifth', { integrity: 'clean' }, { action: 'accept', weight: 0.2, flag: 'doubt' }),
    ),
  );
  expect(decided).toEqual({
    ...{ action: 'down-weight', weight: 0.2, mask: false, flags: ['doubt'] },
    rules: [
      { id: 'half', weight: 0.5, kind: 'soft', share: 0.5 / 1.3, because: { 'verdict.outcome': 'passed' } },
      { id: 'fifth', weight: 0.2, kind: 'soft', share: 0.8 / 1.3, because: { 'verdict.integrity': 'clean' } },
    ],
  });
  expect(decisionBodySchema.parse(decided)).toEqual(decided);
});

test('what is quarantined is masked and weighs nothing', () => {
  const held = policy(rule('held', { outcome: 'passed' }, { action: 'quarantine', weight: 1, flag: 'look' }));
  expect(decide(given(), held)).toMatchObject({ action: 'quarantine', weight: 0, mask: true, flags: ['look'] });
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
    const verdict = given({ outcome: 'ungraded', integrity, assurance: null, fault: 'platform' });
    expect(decide(verdict, LIFTS_EVERYTHING), integrity).toEqual(law);
  }
});

test('no policy pays or punishes what is not known to be honest', () => {
  for (const outcome of ['passed', 'failed'] as const) {
    expect(decide(given({ outcome, integrity: 'unknown' }), LIFTS_EVERYTHING), outcome).toMatchObject({
      ...{ action: 'quarantine', weight: 0, mask: true },
      rules: [{ id: 'law:unknown-is-masked' }],
    });
  }
});

const LATE = { outcome: 'failed', fault: 'subject', cases_passed: 2, cases_timed_out: 2, cases_total: 4 } as const;
const never = rule('never', { integrity: 'violated' }, { action: 'reject', weight: 1 });

test('work that was only too slow is a zero, or left out where the policy says so', () => {
  const leaves = policyWith({ values: { ...DEFAULTS.values, timeout: 'left-out' } }, never);
  expect(decide(given(LATE), policy(never))).toMatchObject({ action: 'accept', mask: false });
  expect(decide(given(LATE), leaves)).toMatchObject({
    action: 'quarantine',
    mask: true,
    rules: [{ id: 'value:timeout' }],
  });
  // one wrong case beside the slow ones: slowness is no excuse
  expect(decide(given({ ...LATE, cases_total: 5 }), leaves)).toMatchObject({ action: 'accept', mask: false });
  expect(decide(given({ ...LATE, integrity: 'violated' }), leaves)).toMatchObject({ action: 'reject', mask: false });
});

test.each([
  ['zero', { mask: false, weight: 1 }],
  ['left-out', { mask: true, weight: 0, value: 'left-out' }],
  ['as-earned', { mask: false, weight: 1, value: 'as-earned' }],
] as const)('a confirmed cheat gets %s', (confirmed, expected) => {
  const values = { ...DEFAULTS.values, confirmed_cheat: confirmed };
  const decided = decide(given({ integrity: 'violated' }), policyWith({ values }, never));
  expect(decided).toMatchObject({ action: 'reject', ...expected });
  if (confirmed === 'zero') expect(decided).not.toHaveProperty('value');
});

test('a weight may come from the profile, and a rule tells what it saw', () => {
  const odd = rule('odd', 'profile.known && profile.weight < 1.0', { action: 'down-weight', weight: 'profile.weight' });
  expect(decide(given({ profile: { weight: 0.25, p: 0.00025 } }), policy(odd))).toMatchObject({
    ...{ action: 'down-weight', weight: 0.25 },
    rules: [{ id: 'odd', share: 1, because: { 'profile.known': true, 'profile.weight': 0.25 } }],
  });
  expect(decide(given(), policy(odd))).toMatchObject({ action: 'accept', rules: [] });
});

test('draws are the same again each time, about as many as asked for, and reviews are told by their cause', () => {
  const drawn = (share: number) =>
    rule('drawn', 'verdict.pinned', { action: 'accept', weight: 1, review: { sample: share } });
  const always = rule('always', 'verdict.score >= 0.0', { action: 'accept', weight: 1, review: 'always' });
  const reviewOf = (artifactId: string, of: Policy) => decide({ ...given(), artifactId }, of).review ?? 'none';
  const ids = Array.from({ length: 2_000 }, (_, n) => `sub_${n}`);
  const reviews = ids.map((id) => reviewOf(id, policy(drawn(0.2))));
  expect(ids.map((id) => reviewOf(id, policy(drawn(0.2))))).toEqual(reviews);
  const share = reviews.filter((review) => review === 'sampled').length / ids.length;
  expect(share).toBeGreaterThan(0.15);
  expect(share).toBeLessThan(0.25);
  expect(reviewOf('sub_1', policy(drawn(1), always))).toBe('always');
  const control = policyWith({ control_sample: 1 }, never);
  expect(reviewOf('sub_1', control)).toBe('control');
  expect(decide(given({ integrity: 'suspect' }), control).review).toBeUndefined();
});
