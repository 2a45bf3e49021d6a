import { describe, expect, test } from 'vitest';
import { digestOf } from '../../platform/base/digest.ts';
import { issueReward } from '../reward/issue-reward.ts';
import { type VerdictBody, verdictBodySchema } from '../verdict/verdict.ts';
import { amendVerdict, restoreVerdict } from './amend-verdict.ts';
import { decideRuling } from './decide-ruling.ts';
import type { Ruling } from './review.ts';

const SUSPECT: VerdictBody = {
  ...{ outcome: 'passed', integrity: 'suspect', assurance: 'oracle', fault: 'none', score: 0.75, pinned: true },
  ...{ cases: { passed: 3, total: 4 }, signals: [{ kind: 'hard-coded', severity: 'suspect' }], reason: null },
  basis: { artifact: digestOf('a'), grade: digestOf('g'), screening: digestOf('s') },
};
const UNGRADED: VerdictBody = {
  ...SUSPECT,
  ...{ outcome: 'ungraded', fault: 'platform', assurance: null, score: 0, cases: { passed: 0, total: 0 } },
};
const DIGESTS = { digest: digestOf('verdict') };
const amend = (body: VerdictBody, ruling: Ruling) =>
  amendVerdict({ body }, DIGESTS, { ruling, digest: digestOf(ruling) });
const policy = (confirmed_cheat: string) => ({ values: { confirmed_cheat } }) as never;

/** What a trainer gets after a ruling. */
function paid(body: VerdictBody, ruling: Exclude<Ruling, 'unsure'>, rules: Parameters<typeof decideRuling>[2] = null) {
  const amended = amend(body, ruling);
  if (amended === null) throw new Error('nothing was amended');
  return issueReward(amended, decideRuling(ruling, amended, rules));
}

describe('an amended verdict', () => {
  test.each(['cheat', 'honest', 'task-defect', 'environment-fault'] as const)(
    'after %s has the shape of any other, and names the verdict before and the ruling',
    (ruling) => {
      const amended = amend(SUSPECT, ruling);
      expect(verdictBodySchema.parse(amended)).toEqual(amended);
      expect(amended?.basis).toEqual({ ...SUSPECT.basis, amends: DIGESTS.digest, ruling: digestOf(ruling) });
      expect(amended?.signals).toEqual(SUSPECT.signals);
    },
  );

  test('says that a cheat is a violation, and what it earned', () => {
    expect(amend(SUSPECT, 'cheat')).toMatchObject({
      outcome: 'passed',
      integrity: 'violated',
      fault: 'subject',
      score: 0.75,
    });
  });

  test('says that who cheats so that nothing can be graded has failed', () => {
    expect(amend(UNGRADED, 'cheat')).toMatchObject({
      outcome: 'failed',
      integrity: 'violated',
      fault: 'subject',
      score: 0,
    });
  });

  test('says that honest work is clean, right or wrong', () => {
    expect(amend(SUSPECT, 'honest')).toMatchObject({ outcome: 'passed', integrity: 'clean', fault: 'none' });
    const wrong = { ...SUSPECT, outcome: 'failed', fault: 'subject', score: 0 } as const;
    expect(amend(wrong, 'honest')).toMatchObject({ outcome: 'failed', integrity: 'clean', fault: 'subject' });
  });

  test('is none where a reviewer is unsure', () => {
    expect(amend(SUSPECT, 'unsure')).toBeNull();
  });

  test('that is taken back is what it was, in a row of its own', () => {
    const stands = { body: amend(SUSPECT, 'cheat') ?? SUSPECT, digest: digestOf('amended') };
    const restored = restoreVerdict(stands, { body: SUSPECT }, { digest: digestOf('undo') });
    expect(restored).toEqual({
      ...SUSPECT,
      basis: { ...SUSPECT.basis, amends: digestOf('amended'), ruling: digestOf('undo') },
    });
  });
});

describe('what a trainer gets after a ruling', () => {
  test('for honest work: what it earned, with its whole weight and no flag', () => {
    expect(paid(SUSPECT, 'honest')).toMatchObject({ status: 'scored', reward: 0.75, trainWeight: 1, flags: [] });
  });

  test.each([
    ['as-earned', { status: 'scored', reward: 0.75, trainWeight: 1, maskSample: false }],
    ['zero', { status: 'scored', reward: 0, trainWeight: 1, maskSample: false }],
    ['left-out', { status: 'quarantined', reward: 0, trainWeight: 0, maskSample: true }],
    ['no such word', { status: 'scored', reward: 0 }],
  ])('for a cheat under a policy that says %s', (value, expected) => {
    expect(paid(SUSPECT, 'cheat', policy(value))).toMatchObject({ ...expected, flags: ['confirmed-cheat'] });
  });

  test('for a cheat under a policy that says nothing: nothing', () => {
    expect(paid(SUSPECT, 'cheat')).toMatchObject({ status: 'scored', reward: 0, action: 'reject' });
    expect(paid(UNGRADED, 'cheat')).toMatchObject({ status: 'scored', reward: 0 });
  });

  test.each([
    ['task-defect', 'task'],
    ['environment-fault', 'platform'],
  ] as const)('for a %s: masked, and never a zero to learn from', (ruling, fault) => {
    const kind = `proctor:${fault}-fault`;
    expect(paid(SUSPECT, ruling)).toMatchObject({ status: 'unscored', maskSample: true, failureKind: kind });
  });

  test('for honest work that was not graded: masked, as the law of every policy says', () => {
    const amended = amend(UNGRADED, 'honest');
    if (amended === null) throw new Error('nothing was amended');
    const { rules, mask } = decideRuling('honest', amended, null);
    expect({ rules, mask }).toEqual({ mask: true, rules: [{ id: 'law:ungraded-is-masked', weight: 0 }] });
  });
});
