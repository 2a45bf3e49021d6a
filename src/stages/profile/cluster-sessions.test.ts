import { describe, expect, test } from 'vitest';
import { seeded } from '../../../test/support/behaviours.ts';
import { type Clustered, type Clustering, clusteringSchema } from './cluster.ts';
import { placeSession } from './cluster-place.ts';
import { coordinatesOf, makeScaling } from './cluster-scale.ts';
import { clusterSessions } from './cluster-sessions.ts';
import { FEATURE_AT, FEATURES, type FeatureName } from './features.ts';

type Kind = Partial<Record<FeatureName, readonly [mean: number, deviation: number]>>;

const ORDINARY: Kind = { steps: [3, 0.3], bytes_shown: [7, 0.5], files_read: [2, 0.3], vcs_reads: [0, 0] };
const MINERS: Kind = { ...ORDINARY, vcs_reads: [2, 0.2], steps: [1.2, 0.2] };
const LONG: Kind = { ...ORDINARY, steps: [6, 0.3], bytes_shown: [12, 0.5], files_read: [5, 0.3] };

function sessionsOf(random: () => number, kind: Kind, { count, name }: { count: number; name: string }): Clustered[] {
  return Array.from({ length: count }, (_, index) => {
    const values: (number | null)[] = FEATURES.map(() => null);
    for (const [feature, [mean, deviation]] of Object.entries(kind)) {
      // the sum of twelve uniform numbers is nearly normal
      const normal = Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, -6);
      values[FEATURE_AT[feature as FeatureName]] = mean + deviation * normal;
    }
    return { session: `${name}-${index}`, values };
  });
}

function cohort(seed: number, counts = { ordinary: 120, miners: 20, long: 60 }): Clustered[] {
  const random = seeded(seed);
  return [
    ...sessionsOf(random, ORDINARY, { count: counts.ordinary, name: `ordinary-${seed}` }),
    ...sessionsOf(random, MINERS, { count: counts.miners, name: `miner-${seed}` }),
    ...sessionsOf(random, LONG, { count: counts.long, name: `long-${seed}` }),
  ];
}

const groupsOf = (sessions: readonly Clustered[], previous: Clustering | null = null) =>
  clusterSessions(sessions, { cohort: 'task', previous });
const ofKind = ({ clusters }: Clustering, kind: string) =>
  clusters.filter(({ medoid }) => medoid.session.startsWith(kind));

describe('clusters of a cohort', () => {
  test('three ways to behave are three clusters, each of its own kind, with what sets it apart for a name', () => {
    const fitted = groupsOf(cohort(1));
    expect(fitted.clusters).toHaveLength(3);
    for (const kind of ['ordinary', 'miner', 'long']) {
      const [cluster] = ofKind(fitted, kind);
      expect(cluster?.examples.every((session) => session.startsWith(kind))).toBe(true);
    }
    expect(ofKind(fitted, 'miner')[0]?.name).toContain('more vcs reads');
    expect(ofKind(fitted, 'long')[0]?.name).toContain('more');
    expect(clusteringSchema.parse(JSON.parse(JSON.stringify(fitted)))).toEqual(fitted);
  });

  test('the same sessions give the same clusters', () => {
    expect(groupsOf(cohort(2))).toEqual(groupsOf(cohort(2)));
  });

  test('labels stay with their clusters from fit to fit, and one that comes anew has a label of its own', () => {
    const first = groupsOf(cohort(3, { ordinary: 120, miners: 0, long: 60 }));
    const second = groupsOf(cohort(4), first);
    for (const kind of ['ordinary', 'long']) expect(ofKind(second, kind)[0]?.label).toBe(ofKind(first, kind)[0]?.label);
    const known = new Set(first.clusters.map(({ label }) => label));
    expect(known.has(ofKind(second, 'miner')[0]?.label ?? '')).toBe(false);
    const third = groupsOf(cohort(5, { ordinary: 120, miners: 0, long: 60 }), second);
    const fourth = groupsOf(cohort(6), third);
    expect(fourth.lastLabel).toBeGreaterThan(third.lastLabel);
    expect(ofKind(fourth, 'miner')[0]?.label).not.toBe(ofKind(second, 'miner')[0]?.label);
  });

  test('a new session is placed by the prototypes, with what reviewers said of the cluster', () => {
    const fitted = groupsOf(cohort(7));
    const label = ofKind(fitted, 'miner')[0]?.label ?? '';
    const states = new Map([[label, 'reviewed-cheat']] as const);
    const placed = sessionsOf(seeded(99), MINERS, { count: 40, name: 'new' }).map(({ values }) =>
      placeSession(fitted, values, states),
    );
    expect(placed.filter(({ state }) => state === 'reviewed-cheat').length).toBeGreaterThanOrEqual(34);
    const ordinary = sessionsOf(seeded(98), ORDINARY, { count: 40, name: 'new' });
    expect(ordinary.filter(({ values }) => placeSession(fitted, values, states).state !== 'unknown')).toEqual([]);
    const far = FEATURES.map(() => 1e12);
    expect(placeSession(fitted, far, states)).toMatchObject({ cluster: null, state: 'unknown' });
  });
});

describe('values that no honest recorder gives', () => {
  const wild = (value: number | null): Clustered[] =>
    Array.from({ length: 30 }, (_, at) => ({ session: `w-${at}`, values: FEATURES.map(() => value) }));

  test.each([
    ['missing', null],
    ['constant', 3],
    ['infinite', Number.POSITIVE_INFINITY],
    ['not a number', Number.NaN],
  ])('%s values make one cluster or none, and no number that is none', (_, value) => {
    const fitted = groupsOf(wild(value));
    expect(fitted.clusters.length).toBeLessThanOrEqual(1);
    expect(fitted.points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
    expect(
      placeSession(
        fitted,
        FEATURES.map(() => value),
      ).point.x,
    ).not.toBeNaN();
  });

  test('no session at all, and fewer than make a cluster, are no error', () => {
    expect(groupsOf([])).toMatchObject({ sessions: 0, clusters: [], alone: 0 });
    expect(groupsOf(wild(1).slice(0, 3))).toMatchObject({ clusters: [], alone: 3 });
    expect(
      placeSession(
        groupsOf([]),
        FEATURES.map(() => 0),
      ),
    ).toMatchObject({ cluster: null, distance: null });
  });

  test('a session that poisons one feature moves nobody else', () => {
    const poisoned = cohort(8);
    const values = FEATURES.map(() => 1e15);
    const fitted = groupsOf([...poisoned, { session: 'poison', values }]);
    expect(fitted.clusters).toHaveLength(3);
    expect(fitted.points.find(({ session }) => session === 'poison')?.label).toBeNull();
  });

  test('scales are of the middle, so that a tenth of wild values changes them little', () => {
    const random = seeded(9);
    const calm = sessionsOf(random, ORDINARY, { count: 100, name: 'calm' }).map(({ values }) => values);
    const wilder = calm.map((row, at) => (at % 10 === 0 ? row.map((value) => (value === null ? null : 1e9)) : row));
    const at = FEATURE_AT.steps;
    expect(makeScaling(wilder).spreads[at]).toBeLessThan(2 * (makeScaling(calm).spreads[at] ?? 0));
    expect(Math.max(...coordinatesOf(makeScaling(wilder), wilder[0] ?? []))).toBe(6);
  });
});
