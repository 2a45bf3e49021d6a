import type { Behaviour } from './behaviour.ts';
import { conformalP } from './score.ts';
import { callSharesOf } from './vocabulary.ts';

/** A session that a reviewer ruled on. */
export interface Labelled {
  readonly behaviour: Behaviour;
  readonly isCheat: boolean;
}

/** What the score is made from. */
export interface LabelSet {
  readonly labels: readonly Labelled[];
  /** Admitted honest sessions that are compared with. */
  readonly honest: readonly Behaviour[];
  /** Other admitted honest sessions, that say how high honest ones score. */
  readonly calibration: readonly Behaviour[];
}

/** A score beside the others, for one cohort, from reviewers' labels. */
export interface LabelScore {
  /** Rising. */
  readonly calibration: Float64Array;
  score(behaviour: Behaviour): number;
  /** The split-conformal p-value, as for the tests. */
  p(behaviour: Behaviour): number | null;
}

/** Labels from which on it is used; fewer teach one cheat by heart (the design page). */
export const LEAST_LABELS = 100;
/** Sessions nearest by, of each side, whose mean distance counts. */
const NEIGHBOURS = 3;
/** Added to distances, so that a copy is near but not infinitely so. Both were chosen on three families of ADFA-LD (docs/decisions/0016). */
const SOFTENING = 0.05;

/**
 * How much nearer a session is to labelled cheats than to honest ones: log of the ratio of its mean distances to the three nearest
 * of each (the density ratio of nearest neighbours, Loftsgaarden and Quesenberry 1965). The distance is Hellinger's, of the shares
 * of system calls, or of actions where calls are not known. Deterministic. Null below 100 labels, or without labelled cheats.
 */
export function fitLabels({ labels, honest, calibration }: LabelSet): LabelScore | null {
  if (labels.length < LEAST_LABELS) return null;
  const cheats = labels.filter(({ isCheat }) => isCheat).map(({ behaviour }) => behaviour);
  const cleared = labels.filter(({ isCheat }) => !isCheat).map(({ behaviour }) => behaviour);
  const others = [...honest, ...cleared];
  if (cheats.length < NEIGHBOURS || others.length < NEIGHBOURS) return null;
  const places = placesOf([...cheats, ...others]);
  const near = (sessions: readonly Behaviour[]) => distanceTo(sessions.map((session) => rootsOf(session, places)));
  const [toCheats, toHonest] = [near(cheats), near(others)];
  const score = (behaviour: Behaviour) => {
    const roots = rootsOf(behaviour, places);
    return Math.log((toHonest(roots) + SOFTENING) / (toCheats(roots) + SOFTENING));
  };
  const sorted = Float64Array.from(calibration.map(score)).sort();
  return { calibration: sorted, score, p: (behaviour) => conformalP(sorted, score(behaviour)) };
}

/** Shares of what a session did: of calls, else of its different bigrams of actions. */
function sharesOf(session: Behaviour): ReadonlyMap<string, number> {
  if (session.calls.size > 0) return callSharesOf(session);
  const share = 1 / Math.max(1, session.bigrams.size);
  return new Map([...session.bigrams.keys()].map((word) => [word, share]));
}

function placesOf(sessions: readonly Behaviour[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const session of sessions) {
    for (const word of sharesOf(session).keys()) if (!places.has(word)) places.set(word, places.size);
  }
  return places;
}

/** The roots of shares by place; words that no place knows are left out, and so are near to nobody. */
function rootsOf(session: Behaviour, places: ReadonlyMap<string, number>): Float64Array {
  const roots = new Float64Array(places.size);
  for (const [word, share] of sharesOf(session)) {
    const place = places.get(word);
    if (place !== undefined) roots[place] = Math.sqrt(share);
  }
  return roots;
}

/** The mean Hellinger distance, times √2, to the three nearest. */
function distanceTo(all: readonly Float64Array[]): (roots: Float64Array) => number {
  return (roots) => {
    const used: number[] = [];
    roots.forEach((root, place) => {
      if (root > 0) used.push(place);
    });
    const nearest: number[] = [];
    for (const other of all) {
      let likeness = 0;
      for (const place of used) likeness += (roots[place] as number) * (other[place] as number);
      if (nearest.length === NEIGHBOURS && likeness <= (nearest[NEIGHBOURS - 1] as number)) continue;
      nearest.push(likeness);
      nearest.sort((one, next) => next - one);
      if (nearest.length > NEIGHBOURS) nearest.pop();
    }
    return nearest.reduce((sum, likeness) => sum + Math.sqrt(Math.max(0, 2 - 2 * likeness)), 0) / nearest.length;
  };
}
