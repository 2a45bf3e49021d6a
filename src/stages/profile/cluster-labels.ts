import type { Cluster, Scaling } from './cluster.ts';
import { coordinatesOf, distanceOf } from './cluster-scale.ts';

type Unnamed = Pick<Cluster, 'medoid' | 'radius'>;

/** Labels for the clusters of a new fit. */
export interface Labels {
  readonly labels: readonly string[];
  /** The number of the last label that was ever given out. */
  readonly lastLabel: number;
}

/**
 * Gives each cluster the label of the earlier one whose medoid is nearest, within the larger of both radii, the nearest pairs first and each once.
 * What matches none gets a label that no cluster of the cohort ever had.
 */
export function matchLabels(
  clusters: readonly Unnamed[],
  previous: { readonly clusters: readonly Cluster[]; readonly lastLabel: number },
  scaling: Scaling,
): Labels {
  const now = clusters.map(({ medoid }) => coordinatesOf(scaling, medoid.values));
  const before = previous.clusters.map(({ medoid }) => coordinatesOf(scaling, medoid.values));
  const pairs = clusters
    .flatMap((cluster, at) =>
      previous.clusters.map((old, other) => ({
        ...{ at, other, apart: distanceOf(now[at] as Float64Array, before[other] as Float64Array) },
        reach: Math.max(cluster.radius, old.radius),
      })),
    )
    .filter(({ apart, reach }) => apart <= reach)
    .sort((one, other) => one.apart - other.apart || one.at - other.at || one.other - other.other);
  const labels = new Map<number, string>();
  const taken = new Set<number>();
  for (const { at, other } of pairs) {
    if (labels.has(at) || taken.has(other)) continue;
    labels.set(at, previous.clusters[other]?.label ?? '');
    taken.add(other);
  }
  let { lastLabel } = previous;
  return {
    labels: clusters.map((_, at) => labels.get(at) ?? `c${++lastLabel}`),
    get lastLabel() {
      return lastLabel;
    },
  };
}
