import { z } from 'zod';
import { ERRORS, type ProctorError } from '../platform/base/errors.ts';
import type { RewardRow } from '../stages/reward/reward.ts';

/** One item of the answer. Every item has every key: verl indexes all samples with the keys of the first. */
export const rewardItemSchema = z.object({
  id: z.string(),
  status: z.enum(['scored', 'quarantined', 'unscored', 'pending']),
  reward: z.number().describe('always finite'),
  score: z.number().describe('0 to 1, before policy'),
  reward_components: z.record(z.string(), z.number()).describe('their sum is the reward'),
  train_weight: z.number(),
  mask_sample: z.boolean().describe('true: do not train on this sample'),
  failure_kind: z.string(),
  failure_reason: z.string(),
  fault: z.enum(['subject', 'task', 'platform', 'caller', 'none']),
  outcome: z.enum(['passed', 'failed', 'ungraded']),
  integrity: z.enum(['clean', 'suspect', 'violated', 'unknown']),
  assurance: z.string(),
  flags: z.array(z.string()),
  metrics: z.object({ cases_passed: z.number(), cases_total: z.number() }),
  group: z.object({
    n_valid: z.int().describe('scored items of this group in this answer'),
    advice: z.enum(['keep', 'drop', 'resample']),
    neutral_reward: z.number().describe('mean of the scored siblings; 0 when there is none'),
  }),
  verdict_id: z.string(),
  evidence_uri: z.string(),
  cached: z.boolean(),
  latency_ms: z.number(),
});
export type RewardItem = z.infer<typeof rewardItemSchema>;
/** An item without what depends on the call: its siblings and its time. */
export type RewardFacts = Omit<RewardItem, 'group' | 'latency_ms'>;

/** The item of a reward that is there. */
export function settledItem(id: string, row: RewardRow, cached: boolean): RewardFacts {
  const { body, cases } = row;
  return {
    id,
    status: body.status,
    reward: body.reward,
    score: body.score,
    reward_components: { task: body.reward },
    train_weight: body.trainWeight,
    mask_sample: body.maskSample,
    failure_kind: body.failureKind,
    failure_reason: body.failureReason.slice(0, 500),
    fault: body.verdict.fault,
    outcome: body.verdict.outcome,
    integrity: body.verdict.integrity,
    assurance: body.verdict.assurance ?? '',
    flags: body.flags,
    metrics: { cases_passed: cases.passed, cases_total: cases.total },
    verdict_id: row.verdictId,
    evidence_uri: `/v1/verdicts/${row.verdictId}`,
    cached,
  };
}

/** The item of a reward that is there and may not be given out. */
export function refusedItem(item: RewardFacts, reason: string): RewardFacts {
  return {
    ...item,
    ...{ status: 'unscored', reward: 0, score: 0, reward_components: { task: 0 }, train_weight: 0, mask_sample: true },
    ...{ failure_kind: 'proctor:task-not-admitted', failure_reason: reason.slice(0, 500), fault: 'task' },
  };
}

/** The item of a reward that did not come in time: never a zero to learn from. */
export function pendingItem(id: string): RewardFacts {
  return {
    ...unscored(id),
    status: 'pending',
    failure_kind: 'proctor:pending',
    failure_reason: 'not graded before the deadline',
  };
}

/** The item of a request item that cannot be graded at all. */
export function failedItem(id: string, error: ProctorError): RewardFacts {
  const { fault } = ERRORS[error.code];
  return {
    ...unscored(id),
    failure_kind: `proctor:${error.code}`,
    failure_reason: error.code === 'defect' ? 'an unexpected error; the log has it' : error.message.slice(0, 500),
    fault: fault === 'caller' || fault === 'task' ? fault : 'platform',
  };
}

/** Adds what the other items of the same group tell. */
export function withGroups(
  items: readonly (Omit<RewardItem, 'group'> & { readonly groupId: string | null })[],
): readonly RewardItem[] {
  return items.map(({ groupId, ...item }) => {
    const siblings = groupId === null ? [item] : items.filter((other) => other.groupId === groupId);
    const valid = siblings.filter(({ status }) => status === 'scored');
    const sum = valid.reduce((total, { reward }) => total + reward, 0);
    // a lone survivor of a group would get its raw reward as advantage in several trainers
    const advice = groupId === null ? (valid.length === 1 ? 'keep' : 'resample') : valid.length >= 2 ? 'keep' : 'drop';
    return {
      ...item,
      group: { n_valid: valid.length, advice, neutral_reward: valid.length === 0 ? 0 : sum / valid.length },
    };
  });
}

function unscored(id: string): RewardFacts {
  return {
    ...{
      id,
      status: 'unscored',
      reward: 0,
      score: 0,
      reward_components: { task: 0 },
      train_weight: 0,
      mask_sample: true,
    },
    ...{
      failure_kind: '',
      failure_reason: '',
      fault: 'none',
      outcome: 'ungraded',
      integrity: 'unknown',
      assurance: '',
    },
    ...{ flags: [], metrics: { cases_passed: 0, cases_total: 0 }, verdict_id: '', evidence_uri: '', cached: false },
  };
}
