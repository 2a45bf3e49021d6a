import type { Cluster, Clustering, ClusterState } from './cluster.ts';
import { coordinatesOf, distanceOf } from './cluster-scale.ts';
import { type MapPoint, projected } from './map.ts';

/** Where a session belongs that had no part in a fit. */
export interface Place {
  /** Null: it is in no cluster. */
  readonly cluster: Cluster | null;
  /** What reviewers said of it last. */
  readonly state: ClusterState;
  /** To the medoid of the nearest cluster, in the units of its radius; null without clusters. */
  readonly distance: number | null;
  readonly point: MapPoint;
}

/**
 * Places a session by the prototypes of a clustering: in the cluster whose medoid is nearest in units of its radius, if it is within it. A
 * place in a cluster that was reviewed as cheats corroborates what else accuses; alone it is a reason for a review.
 */
export function placeSession(
  clustering: Clustering,
  values: readonly (number | null)[],
  states: ReadonlyMap<string, ClusterState> = new Map(),
): Place {
  const coordinates = coordinatesOf(clustering.scaling, values);
  let [nearest, distance]: [Cluster | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const cluster of clustering.clusters) {
    const apart = distanceOf(coordinates, coordinatesOf(clustering.scaling, cluster.medoid.values));
    // a cluster of copies has no width: only another copy is in it
    const inRadii = cluster.radius > 0 ? apart / cluster.radius : apart === 0 ? 0 : Number.POSITIVE_INFINITY;
    if (inRadii >= distance) continue;
    nearest = cluster;
    distance = inRadii;
  }
  const cluster = distance <= 1 ? nearest : null;
  const point = projected(
    clustering.axes.map((axis) => Float64Array.from(axis)),
    coordinates,
  );
  return {
    ...{ cluster, point: { ...point, label: cluster?.label ?? null } },
    state: cluster === null ? 'unknown' : (states.get(cluster.label) ?? 'unknown'),
    distance: Number.isFinite(distance) ? distance : null,
  };
}
