import { expect, test } from 'vitest';
import { aggregateMetrics } from './nemo-metrics.ts';

test('numbers are described in all and for each task, without what is masked', () => {
  const { group_level_metrics, agent_metrics, key_metrics } = aggregateMetrics([
    { _ng_task_index: 1, _ng_rollout_index: 0, reward: 1, passed: true, response: {} },
    { _ng_task_index: 1, _ng_rollout_index: 1, reward: 0, passed: false },
    { _ng_task_index: 0, _ng_rollout_index: 0, reward: 0.5 },
    { _ng_task_index: 0, _ng_rollout_index: 1, reward: 0, mask_sample: true },
  ]);
  expect(agent_metrics).toMatchObject({ 'mean/reward': 0.5, 'median/reward': 0.5, 'std/reward': 0.5, num_masked: 1 });
  expect(agent_metrics).not.toHaveProperty(['mean/_ng_task_index']);
  expect(key_metrics).toEqual({ 'mean/reward': 0.5, 'mean/passed': 0.5 });
  expect(group_level_metrics.map((group) => [group._ng_task_index, group['mean/reward'], group.num_rollouts])).toEqual([
    [0, 0.5, 2],
    [1, 0.5, 2],
  ]);
});

test('no answers, and answers without numbers, are no metrics', () => {
  expect(aggregateMetrics([])).toEqual({ group_level_metrics: [], agent_metrics: {}, key_metrics: {} });
  const huge = aggregateMetrics([{ reward: 'x', a: null }, { b: Number.MAX_VALUE }, { b: -Number.MAX_VALUE }]);
  for (const value of Object.values(huge.agent_metrics)) expect(Number.isFinite(value)).toBe(true);
});
