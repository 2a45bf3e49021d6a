import { z } from 'zod';

const TASK = '_ng_task_index';
const ROLLOUT = '_ng_rollout_index';
/** What tells samples apart and is no measurement. */
const INDEXES: readonly string[] = [TASK, ROLLOUT];
const MAX_SAMPLES = 200_000;

export const metricsRequestSchema = z.looseObject({
  verify_responses: z.array(z.record(z.string(), z.unknown())).max(MAX_SAMPLES),
});
const metricsSchema = z.record(z.string(), z.number());
export const metricsReplySchema = z.object({
  group_level_metrics: z.array(metricsSchema),
  agent_metrics: metricsSchema,
  key_metrics: metricsSchema,
});

type VerifyResponse = Readonly<Record<string, unknown>>;
type Stats = z.infer<typeof metricsSchema>;

/**
 * Mean, max, min, median and standard deviation of every number in answers of `/verify`, in all and for each task, under the names that
 * NeMo Gym’s `RewardProfiler` gives them. Masked samples are counted and not measured.
 */
export function aggregateMetrics(responses: readonly VerifyResponse[]): z.infer<typeof metricsReplySchema> {
  if (responses.length === 0) return { group_level_metrics: [], agent_metrics: {}, key_metrics: {} };
  const tasks = new Map<number, VerifyResponse[]>();
  for (const response of responses) {
    const task = numberIn(response[TASK]) ?? 0;
    const rollouts = tasks.get(task);
    if (rollouts === undefined) tasks.set(task, [response]);
    else rollouts.push(response);
  }
  const ordered = [...tasks].sort(([one], [other]) => one - other);
  const agent_metrics = statsOf(responses);
  return {
    group_level_metrics: ordered.map(([task, rollouts]) => ({ [TASK]: task, ...statsOf(rollouts) })),
    agent_metrics,
    key_metrics: Object.fromEntries(Object.entries(agent_metrics).filter(([name]) => name.startsWith('mean/'))),
  };
}

function statsOf(responses: readonly VerifyResponse[]): Stats {
  const measured = responses.filter(({ mask_sample }) => mask_sample !== true);
  const columns = new Map<string, number[]>();
  for (const response of measured) {
    for (const [name, raw] of Object.entries(response)) {
      const value = INDEXES.includes(name) ? null : numberIn(raw);
      if (value === null) continue;
      const column = columns.get(name);
      if (column === undefined) columns.set(name, [value]);
      else column.push(value);
    }
  }
  const stats = [...columns].flatMap(([name, values]) => Object.entries(describe(name, values)));
  return {
    ...Object.fromEntries(stats),
    num_rollouts: responses.length,
    num_masked: responses.length - measured.length,
  };
}

function describe(name: string, values: readonly number[]): Stats {
  const sorted = [...values].sort((one, other) => one - other);
  const count = sorted.length;
  const mean = sorted.reduce((sum, value) => sum + value / count, 0);
  const spread = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const middle = ((sorted[(count - 1) >> 1] ?? 0) + (sorted[count >> 1] ?? 0)) / 2;
  const all = {
    [`mean/${name}`]: mean,
    [`max/${name}`]: sorted[count - 1] ?? 0,
    [`min/${name}`]: sorted[0] ?? 0,
    [`median/${name}`]: middle,
    [`std/${name}`]: count < 2 ? 0 : Math.sqrt(spread / (count - 1)),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => Number.isFinite(value)));
}

function numberIn(value: unknown): number | null {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
