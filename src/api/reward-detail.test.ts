import { expect, test } from 'vitest';
import { withDetail } from './reward-detail.ts';
import type { RewardFacts } from './reward-item.ts';

const item = (differing: Partial<RewardFacts>) =>
  ({
    ...{ id: 'i', status: 'scored', reward: 0.75, score: 0.75, outcome: 'failed', fault: 'subject', flags: ['odd'] },
    ...{ integrity: 'clean', assurance: 'oracle', failure_reason: '', train_weight: 1, mask_sample: false },
    metrics: { cases_passed: 3, cases_total: 4, attempts_on_instance: 1 },
    ...differing,
  }) as RewardFacts;

test('who is told nothing of the verdict cannot tell what policy took away from what failed', () => {
  const rejected = item({ reward: 0, score: 1, outcome: 'passed', fault: 'none', integrity: 'violated' });
  const failed = item({ reward: 0, score: 0, metrics: { cases_passed: 0, cases_total: 4, attempts_on_instance: 1 } });
  expect(withDetail(rejected, 'none')).toEqual(withDetail({ ...failed, flags: [] }, 'none'));
});

test('what was earned stays as it is, and so does everything for who is told all', () => {
  expect(withDetail(item({}), 'none')).toMatchObject({ reward: 0.75, score: 0.75, outcome: 'failed', flags: [] });
  const passed = item({ reward: 1, score: 1, outcome: 'passed', fault: 'none' });
  expect(withDetail(passed, 'none')).toMatchObject({ outcome: 'passed', fault: 'none' });
  expect(withDetail(passed, 'full')).toEqual(passed);
  expect(withDetail(passed, 'flags').metrics).toEqual(passed.metrics);
});
