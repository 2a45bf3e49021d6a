import { byName } from './by-name.ts';
import type { Episode } from './episode.ts';

/** What sessions are added up by. */
export const COST_BY = ['session', 'task', 'run', 'policy'] as const;
export type CostBy = (typeof COST_BY)[number];

/** What one session used, or many together. */
export interface Cost {
  readonly sessions: number;
  readonly steps: number;
  /** As harnesses reported them; sessions that reported none count as 0 here, and in `untold`. */
  readonly tokens: number;
  readonly untold: number;
  /** Seconds in which actions ran, and in which a sandbox was held beside that: the agent thought. */
  readonly actingSeconds: number;
  readonly idleSeconds: number;
  /** What the steps showed, as it is kept. */
  readonly outputBytes: number;
  /** Seconds of sessions that a fault of ours ended, and that are tried again. */
  readonly retriedSeconds: number;
}

const NONE: Cost = {
  ...{
    sessions: 0,
    steps: 0,
    tokens: 0,
    untold: 0,
    actingSeconds: 0,
    idleSeconds: 0,
    outputBytes: 0,
    retriedSeconds: 0,
  },
};

/** What one episode used, from its record. A session that ran elsewhere held no sandbox of ours. */
export function costOf({ steps, openedAt, endedAt, end, origin }: Episode): Cost {
  const sum = (of: (step: Episode['steps'][number]) => number) => steps.reduce((total, step) => total + of(step), 0);
  const actingSeconds = sum(({ wallMs }) => wallMs ?? 0) / 1000;
  const heldSeconds = origin === 'workspace' ? Math.max(0, endedAt.getTime() - openedAt.getTime()) / 1000 : 0;
  return {
    ...{ sessions: 1, steps: steps.length, tokens: sum(({ tokens }) => tokens ?? 0) },
    untold: Number(steps.every(({ tokens }) => tokens === null)),
    ...{ actingSeconds, idleSeconds: Math.max(0, heldSeconds - actingSeconds) },
    outputBytes: sum(({ observation }) => observation.outputs.reduce((total, { bytes }) => total + bytes, 0)),
    retriedSeconds: end.retry ? heldSeconds : 0,
  };
}

const KEYS = {
  session: ({ id }) => id,
  task: ({ task }) => task.name,
  run: ({ labels }) => labels.run ?? '(no run)',
  policy: ({ labels }) => labels.policyVersion ?? '(not told)',
} as const satisfies Record<CostBy, (episode: Episode) => string>;

/** Adds costs up while episodes go by; memory grows with what they are added up by only. */
export class CostLedger {
  readonly #by: CostBy;
  readonly #rows = new Map<string, Cost>();

  constructor(by: CostBy) {
    this.#by = by;
  }

  note(episode: Episode): void {
    const key = KEYS[this.#by](episode);
    this.#rows.set(key, added(this.#rows.get(key) ?? NONE, costOf(episode)));
  }

  /** By name. */
  rows(): readonly (Cost & { readonly name: string })[] {
    return [...this.#rows.entries()]
      .sort(([one], [other]) => byName(one, other))
      .map(([name, cost]) => ({ name, ...cost }));
  }

  total(): Cost {
    return [...this.#rows.values()].reduce(added, NONE);
  }
}

function added(one: Cost, other: Cost): Cost {
  const names = Object.keys(NONE) as (keyof Cost)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as Cost;
}
