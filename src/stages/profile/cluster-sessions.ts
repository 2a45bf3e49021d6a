import {
  CLUSTER_VERSION,
  type Cluster,
  type Clustered,
  type Clustering,
  MOST_CLUSTERED,
  type Scaling,
} from './cluster.ts';
import { type DensityClusters, densityClusters } from './cluster-density.ts';
import { matchLabels } from './cluster-labels.ts';
import { coordinatesOf, makeScaling } from './cluster-scale.ts';
import { FEATURES, type FeatureName } from './features.ts';
import { principalAxes, projected } from './map.ts';
import { quantile } from './tail.ts';

/** Fewer sessions, or a smaller share of the cohort, are no cluster; both after trying the simulator's cohorts. */
const LEAST_SIZE = 5;
const LEAST_SHARE = 0.01;
const NEIGHBOURS = 5;
const RADIUS_SHARE = 0.95;
const NEAR_EXAMPLES = 4;
const EDGE_EXAMPLES = 2;
const MOST_MARKS = 3;
/** Spreads by which a feature's medians must differ to be named. */
const LEAST_MARK = 0.5;

/** What is clustered, and the clusters that there were before, so that labels stay. */
export interface ClusterRequest {
  readonly cohort: string;
  readonly previous: Pick<Clustering, 'clusters' | 'lastLabel'> | null;
}

/** Groups the sessions of a cohort by their behaviour; only the first 2,000 are taken, so hand over the newest first. Deterministic. */
export function clusterSessions(given: readonly Clustered[], { cohort, previous }: ClusterRequest): Clustering {
  const sessions = given.slice(0, MOST_CLUSTERED);
  const scaling = makeScaling(sessions.map(({ values }) => values));
  const points = sessions.map(({ values }) => coordinatesOf(scaling, values));
  const leastSize = Math.max(LEAST_SIZE, Math.ceil(sessions.length * LEAST_SHARE));
  const found = densityClusters(points, { leastSize, neighbours: NEIGHBOURS });
  const groups = groupsOf(found.labels);
  const told = groups.map((members) => describe({ sessions, points, members, found, scaling }));
  const { labels, lastLabel } = matchLabels(told, previous ?? { clusters: [], lastLabel: 0 }, scaling);
  const clusters = told.map((cluster, at) => ({ ...cluster, label: labels[at] as string }));
  const axes = principalAxes(points);
  return {
    ...{ version: CLUSTER_VERSION, cohort, sessions: sessions.length, scaling, lastLabel },
    alone: found.labels.filter((label) => label === -1).length,
    clusters: clusters.sort((one, other) => other.sessions - one.sessions || (one.label < other.label ? -1 : 1)),
    axes: axes.map((axis) => Array.from(axis)),
    points: sessions.map(({ session }, at) => ({
      ...{ session, ...projected(axes, points[at] as Float64Array) },
      label: labels[found.labels[at] as number] ?? null,
    })),
  };
}

function groupsOf(labels: Int32Array): readonly (readonly number[])[] {
  const groups: number[][] = [];
  labels.forEach((label, point) => {
    if (label === -1) return;
    groups[label] ??= [];
    groups[label].push(point);
  });
  return groups;
}

interface Described {
  readonly sessions: readonly Clustered[];
  readonly points: readonly Float64Array[];
  readonly members: readonly number[];
  readonly found: DensityClusters;
  readonly scaling: Scaling;
}

function describe({ sessions, points, members, found, scaling }: Described): Omit<Cluster, 'label'> {
  const sums = members.map((one) => members.reduce((sum, other) => sum + found.distance(one, other), 0));
  const centre = members[sums.indexOf(Math.min(...sums))] as number;
  const medoid = sessions[centre] as Clustered;
  const byDistance = members
    .map((member) => ({ member, apart: found.distance(centre, member) }))
    .sort((one, other) => one.apart - other.apart || one.member - other.member);
  const nameOf = ({ member }: { member: number }) => (sessions[member] as Clustered).session;
  const marks = marksOf(points, members, scaling);
  return {
    name: marks.length === 0 ? 'ordinary' : marks.map(({ text }) => text).join(', '),
    sessions: members.length,
    medoid: { session: medoid.session, values: medoid.values.map((value) => value ?? null) },
    radius: quantile(
      Float64Array.from(byDistance, ({ apart }) => apart),
      RADIUS_SHARE,
    ),
    examples: [...new Set([...byDistance.slice(0, NEAR_EXAMPLES), ...byDistance.slice(-EDGE_EXAMPLES)].map(nameOf))],
    marks: marks.map(({ feature, here, elsewhere }) => ({ feature, here, elsewhere })),
  };
}

interface Mark {
  readonly feature: FeatureName;
  readonly here: number;
  readonly elsewhere: number;
  readonly text: string;
}

/** The features whose medians differ most from those of all other sessions, the farthest first. */
function marksOf(points: readonly Float64Array[], members: readonly number[], scaling: Scaling): readonly Mark[] {
  const isMember = new Set(members);
  const others = points.filter((_, point) => !isMember.has(point));
  if (others.length === 0) return [];
  const own = members.map((member) => points[member] as Float64Array);
  return FEATURES.map(({ name }, at) => ({ name, at, here: medianOf(own, at), elsewhere: medianOf(others, at) }))
    .map((mark) => ({ ...mark, apart: mark.here - mark.elsewhere }))
    .filter(({ apart }) => Math.abs(apart) >= LEAST_MARK)
    .sort((one, other) => Math.abs(other.apart) - Math.abs(one.apart) || one.at - other.at)
    .slice(0, MOST_MARKS)
    .map(({ name, at, here, elsewhere, apart }) => {
      const back = (scaled: number) => scaled * (scaling.spreads[at] as number) + (scaling.centres[at] as number);
      const text = `${apart > 0 ? 'more' : 'less'} ${name.replaceAll('_', ' ')}`;
      return { feature: name, here: back(here), elsewhere: back(elsewhere), text };
    });
}

function medianOf(points: readonly Float64Array[], at: number): number {
  return quantile(Float64Array.from(points, (point) => point[at] as number).sort(), 0.5);
}
