import { expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import type { DecisionBody } from '../policy/policy.ts';
import type { VerdictBody } from '../verdict/verdict.ts';
import { issueReward } from './issue-reward.ts';
import { rewardBodySchema } from './reward.ts';

const VERDICT: VerdictBody = {
  ...{ outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', score: 0.75, pinned: true },
  ...{ cases: { passed: 3, total: 4 }, signals: [], reason: null },
  basis: { artifact: digestOf('a'), grade: digestOf('g'), screening: digestOf('s') },
};
const ACCEPT: DecisionBody = { action: 'accept', weight: 1, mask: false, flags: [], rules: [] };
const MASK: DecisionBody = {
  ...{ action: 'quarantine', weight: 0, mask: true, flags: ['look'] },
  rules: [
    { id: 'law:unknown-is-masked', weight: 0 },
    { id: 'held', weight: 1 },
  ],
} as const;

test('accepted work is paid what it earned', () => {
  const reward = issueReward(VERDICT, { ...ACCEPT, flags: ['look'] });
  expect(reward).toEqual({
    ...{ status: 'scored', reward: 0.75, score: 0.75, trainWeight: 1, maskSample: false },
    ...{ failureKind: '', failureReason: '', action: 'accept', flags: ['look'] },
    verdict: { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none' },
  });
  expect(rewardBodySchema.parse(reward)).toEqual(reward);
});

test('wrong work is a plain zero to learn from', () => {
  const failed = { ...VERDICT, outcome: 'failed', fault: 'subject', score: 0 } as const;
  expect(issueReward(failed, ACCEPT)).toMatchObject({ status: 'scored', reward: 0, trainWeight: 1, maskSample: false });
});

test('rejected work is paid nothing, and what it would have earned is still told', () => {
  const decision = { ...ACCEPT, action: 'reject', weight: 0.5 } as const;
  expect(issueReward(VERDICT, decision)).toMatchObject({
    ...{ status: 'scored', reward: 0, score: 0.75, trainWeight: 0.5, maskSample: false, action: 'reject' },
  });
});

test('a policy may pay rejected work as it was earned', () => {
  const decision = { ...ACCEPT, action: 'reject', value: 'as-earned' } as const;
  expect(issueReward(VERDICT, decision)).toMatchObject({ status: 'scored', reward: 0.75, action: 'reject' });
});

test('a lesser weight changes how much is learnt, not what was earned', () => {
  const decision = { ...ACCEPT, action: 'down-weight', weight: 0.25 } as const;
  expect(issueReward(VERDICT, decision)).toMatchObject({ reward: 0.75, trainWeight: 0.25 });
});

test('quarantined work is masked with no trace of its score, and names the rules', () => {
  expect(issueReward(VERDICT, MASK)).toMatchObject({
    ...{ status: 'quarantined', reward: 0, score: 0, trainWeight: 0, maskSample: true, flags: ['look'] },
    ...{ failureKind: 'proctor:quarantined', failureReason: 'law:unknown-is-masked, held' },
  });
});

test.each(['task', 'platform'] as const)('work that the %s kept from being graded is unscored and masked', (fault) => {
  const ungraded = { ...VERDICT, outcome: 'ungraded', fault, assurance: null, reason: 'disk-full: no space' } as const;
  const reward = issueReward(ungraded, MASK);
  expect(reward).toMatchObject({
    ...{ status: 'unscored', reward: 0, score: 0, trainWeight: 0, maskSample: true },
    ...{ failureKind: `proctor:${fault}-fault`, failureReason: 'disk-full: no space' },
  });
  expect(rewardBodySchema.parse(reward)).toEqual(reward);
  expect(issueReward({ ...ungraded, reason: null }, MASK).failureReason).toBe('not graded');
});
