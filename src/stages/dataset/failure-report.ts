import { betaPosterior } from './beta.ts';
import { byName } from './by-name.ts';
import type { Episode } from './episode.ts';
import { type Failure, failureOf } from './failure.ts';
import { techniqueOf } from './label-episode.ts';

/** Failures that are alike: one task, kind, cause, and technique or way in which the last step ended. */
export interface FailureCluster {
  readonly task: string;
  readonly kind: Failure['kind'];
  readonly cause: Failure['cause'];
  readonly feature: string;
  readonly count: number;
  /** Sessions of the task that were looked at. */
  readonly of: number;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** Some of them, to look at, the first by id. */
  readonly episodes: readonly string[];
  /** Beside the window before: `new` there was none; `worse` the rate's interval lies above that of before. Null: nothing to compare with. */
  readonly change: 'new' | 'worse' | 'same' | null;
}

/** A task and an instance on which a policy failed, for evaluation. */
export interface RegressionCase {
  readonly task: string;
  readonly task_digest: string;
  readonly instance_id: string;
  readonly kind: Failure['kind'];
  readonly cause: Failure['cause'];
  readonly episode: string;
}

const MOST_SHOWN = 5;

interface Counted {
  readonly task: string;
  readonly failure: Failure;
  readonly feature: string;
  readonly episodes: string[];
  count: number;
}

/** Counts failures of one policy window while episodes go by. */
export class FailureTally {
  readonly #tasks = new Map<string, number>();
  readonly #clusters = new Map<string, Counted>();
  readonly #cases = new Map<string, RegressionCase>();

  note(episode: Episode): void {
    const { name, digest } = episode.task;
    this.#tasks.set(name, (this.#tasks.get(name) ?? 0) + 1);
    const failure = failureOf(episode);
    if (failure === null) return;
    const feature = techniqueOf(episode) ?? episode.steps.at(-1)?.observation.status ?? 'no steps';
    const key = JSON.stringify([name, failure.kind, failure.cause, feature]);
    const known = this.#clusters.get(key) ?? { task: name, failure, feature, episodes: [], count: 0 };
    known.count++;
    if (known.episodes.length < MOST_SHOWN) known.episodes.push(episode.id);
    this.#clusters.set(key, known);
    const { digest: instance, id } = episode.instance;
    // a fault of ours is nothing that a policy can do better
    if (failure.kind === 'environment' || this.#cases.has(instance)) return;
    this.#cases.set(instance, { task: name, task_digest: digest, instance_id: id, ...failure, episode: episode.id });
  }

  /** Clusters, the most frequent first, beside another window's where there is one. */
  report(before: FailureTally | null): readonly FailureCluster[] {
    return [...this.#clusters.entries()]
      .map(([key, { task, failure, feature, episodes, count }]) => {
        const of = this.#tasks.get(task) ?? 0;
        const { low, high } = betaPosterior(count, of);
        const change = before === null ? null : before.#changeTo(key, task, low);
        return { task, ...failure, feature, count, of, rate: count / of, low, high, episodes, change };
      })
      .sort((one, other) => other.count - one.count || byName(one.task + one.feature, other.task + other.feature));
  }

  #changeTo(key: string, task: string, low: number): FailureCluster['change'] {
    const count = this.#clusters.get(key)?.count ?? 0;
    if (count === 0) return 'new';
    return low > betaPosterior(count, this.#tasks.get(task) ?? count).high ? 'worse' : 'same';
  }

  /** One case for each instance on which it failed, by task and instance. */
  cases(): readonly RegressionCase[] {
    return [...this.#cases.values()].sort((one, other) =>
      byName(one.task + one.instance_id, other.task + other.instance_id),
    );
  }
}
