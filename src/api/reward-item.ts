import { z } from 'zod';
import { ERRORS, type ProctorError } from '../platform/base/errors.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import type { Sibling } from '../stages/reward/sibling-store.ts';

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
  metrics: z.object({
    ...{ cases_passed: z.number(), cases_total: z.number() },
    attempts_on_instance: z.number().describe('hand-ins for the same instance, this one among them; counted up to 256'),
  }),
  group: z.object({
    n_valid: z.int().describe('scored items of this group, in this answer and earlier ones of the run'),
    advice: z.enum(['keep', 'drop', 'resample']),
    neutral_reward: z.number().describe('mean of the scored siblings; 0 when there is none'),
  }),
  submission_id: z.string().describe('for GET /v1/rewards/:submission_id; empty where nothing was handed in'),
  verdict_id: z.string(),
  evidence_uri: z.string(),
  cached: z.boolean(),
  latency_ms: z.number(),
});
export type RewardItem = z.infer<typeof rewardItemSchema>;
/** An item without what depends on the call: its siblings and its time. */
export type RewardFacts = Omit<RewardItem, 'group' | 'latency_ms'>;

/** The item of a reward that is there; `attempts` are those on its instance. */
export function settledItem(
  id: string,
  row: RewardRow,
  { cached, attempts }: { readonly cached: boolean; readonly attempts: number },
): RewardFacts {
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
    metrics: { cases_passed: cases.passed, cases_total: cases.total, attempts_on_instance: attempts },
    submission_id: row.artifactId,
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
export function pendingItem(id: string, why: Pending = {}): RewardFacts {
  const { artifactId = '', kind = 'proctor:pending', reason = 'not graded before the deadline' } = why;
  const told = { failure_kind: kind, failure_reason: reason.slice(0, 500), submission_id: artifactId };
  return { ...unscored(id), status: 'pending', ...told };
}

/** Why an item is pending, where it is not for want of time. */
interface Pending {
  readonly artifactId?: string;
  readonly kind?: string;
  readonly reason?: string;
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

/** Siblings of earlier calls, by group. */
export type StoredSiblings = ReadonlyMap<string, readonly Sibling[]>;

/** Adds what the other rollouts of the same group tell: those of this answer, and those that are stored. */
export function withGroups(
  items: readonly (Omit<RewardItem, 'group'> & { readonly groupId: string | null })[],
  stored: StoredSiblings = new Map(),
): readonly RewardItem[] {
  const groups = new Map<string, RewardItem['group']>();
  const members = new Map<string, (typeof items)[number][]>();
  for (const item of items) {
    if (item.groupId === null) continue;
    const known = members.get(item.groupId);
    if (known === undefined) members.set(item.groupId, [item]);
    else known.push(item);
  }
  const among = (groupId: string): RewardItem['group'] => {
    const known = groups.get(groupId);
    if (known !== undefined) return known;
    const here = members.get(groupId) ?? [];
    const ids = new Set(here.map(({ submission_id }) => submission_id));
    const earlier = (stored.get(groupId) ?? []).filter(({ artifactId }) => !ids.has(artifactId));
    const { n_valid, neutral_reward } = statisticsOf([...here, ...earlier]);
    // a lone survivor of a group would get its raw reward as advantage in several trainers
    const group = { n_valid, advice: n_valid >= 2 ? 'keep' : 'drop', neutral_reward } as const;
    groups.set(groupId, group);
    return group;
  };
  return items.map(({ groupId, ...item }) => {
    if (groupId !== null) return { ...item, group: among(groupId) };
    const { n_valid, neutral_reward } = statisticsOf([item]);
    return { ...item, group: { n_valid, advice: n_valid === 1 ? 'keep' : 'resample', neutral_reward } };
  });
}

function statisticsOf(siblings: readonly Pick<RewardItem, 'status' | 'reward'>[]) {
  const valid = siblings.filter(({ status }) => status === 'scored');
  const sum = valid.reduce((total, { reward }) => total + reward, 0);
  return { n_valid: valid.length, neutral_reward: valid.length === 0 ? 0 : sum / valid.length };
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
    ...{ flags: [], metrics: { cases_passed: 0, cases_total: 0, attempts_on_instance: 0 } },
    ...{ submission_id: '', verdict_id: '', evidence_uri: '', cached: false },
  };
}
