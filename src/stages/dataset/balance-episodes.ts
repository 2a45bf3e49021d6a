import { digestOf } from '../../platform/base/digest.ts';
import { byName } from './by-name.ts';
import type { Candidate } from './candidate.ts';
import type { Chosen, LeftOut } from './chosen.ts';
import type { Recipe, SPREADS } from './recipe.ts';

/** The most steps of each class of length. */
const LENGTHS = [5, 20, 50, 200];

/** What episodes are spread over, and how each tells them apart. */
const STRATA = {
  task: ({ task }) => task,
  length: ({ steps }) => String(LENGTHS.findIndex((most) => steps <= most)),
  technique: ({ labels }) => labels.technique ?? '',
  outcome: ({ labels }) => labels.outcome,
  policy: ({ policy }) => policy ?? '',
} as const satisfies Record<(typeof SPREADS)[number], (candidate: Candidate) => string>;

/** Takes from every kind in turn, within each by lot, until what is wanted is there or nothing is left; no prompt and no task beyond its cap. */
export function balanceEpisodes(
  rated: readonly Chosen[],
  { balance, seed }: Recipe,
  leave: (why: LeftOut) => void,
): Chosen[] {
  const queues = queuesOf(rated, balance.over, seed);
  const taken: Chosen[] = [];
  const caps = capsOf(balance);
  for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
    for (const queue of left) {
      const next = queue.pop();
      if (next === undefined) continue;
      const why = caps(next);
      if (why === null) taken.push(next);
      else leave(why);
    }
  }
  return taken;
}

/** Kinds in the order of their names, each in an order by lot, to be taken from the end. */
function queuesOf(rated: readonly Chosen[], over: Recipe['balance']['over'], seed: string): Chosen[][] {
  const strata = new Map<string, { readonly lot: string; readonly each: Chosen }[]>();
  for (const each of rated) {
    const key = JSON.stringify(over.map((spread) => STRATA[spread](each.candidate)));
    const lot = digestOf(`proctor/lot/1\0${seed}\0${each.candidate.id}`);
    const known = strata.get(key);
    if (known === undefined) strata.set(key, [{ lot, each }]);
    else known.push({ lot, each });
  }
  return [...strata.entries()]
    .sort(([one], [other]) => byName(one, other))
    .map(([, members]) => members.sort((one, other) => byName(other.lot, one.lot)).map(({ each }) => each));
}

/** Says of one after the other which cap keeps it out; null where it is taken, and counted. */
function capsOf({ total, per_task: perTask, per_prompt: perPrompt }: Recipe['balance']) {
  const taken = new Map<string, number>();
  const of = (key: string) => taken.get(key) ?? 0;
  return ({ candidate, group }: Chosen): LeftOut | null => {
    const keys = [`prompt ${group.key}`, `task ${candidate.task}`, 'all'] as const;
    if (perPrompt !== undefined && of(keys[0]) >= perPrompt) return 'per-prompt';
    if (perTask !== undefined && of(keys[1]) >= perTask) return 'per-task';
    if (total !== undefined && of(keys[2]) >= total) return 'total';
    for (const key of keys) taken.set(key, of(key) + 1);
    return null;
  };
}
