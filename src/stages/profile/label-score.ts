import type { Behaviour, Words } from './behaviour.ts';
import { conformalP } from './score.ts';
import { sharesOf } from './vocabulary.ts';

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
/** Added to distances, so that a copy is near but not infinitely so; how it was chosen: docs/decisions/0016-profiles.md. */
const SOFTENING = 0.2;

/**
 * How much nearer a session is to the nearest labelled cheat than to the nearest honest one: the log of the ratio of both distances,
 * which estimates the log of the ratio of densities (Loftsgaarden, Quesenberry 1965). The distance is Hellinger's; the mean of two
 * views counts: shares of system calls and of three calls in a row, or of two and of five actions in a row where calls are not
 * known. Deterministic. Null below 100 labels, or without labelled cheats.
 */
export function fitLabels({ labels, honest, calibration }: LabelSet): LabelScore | null {
  if (labels.length < LEAST_LABELS) return null;
  const cheats = labels.filter(({ isCheat }) => isCheat).map(({ behaviour }) => behaviour);
  const others = [...honest, ...labels.filter(({ isCheat }) => !isCheat).map(({ behaviour }) => behaviour)];
  if (cheats.length === 0 || others.length === 0) return null;
  const views = VIEWS.map((view) => ({ view, cheats: indexOf(cheats.map(view)), others: indexOf(others.map(view)) }));
  const score = (behaviour: Behaviour) => {
    const ratios = views.map(({ view, ...index }) => {
      const shares = view(behaviour);
      return Math.log((distanceTo(index.others, shares) + SOFTENING) / (distanceTo(index.cheats, shares) + SOFTENING));
    });
    return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  };
  const sorted = Float64Array.from(calibration.map(score)).sort();
  return { calibration: sorted, score, p: (behaviour) => conformalP(sorted, score(behaviour)) };
}

type Shares = ReadonlyMap<string, number>;

/** How a session is looked at: its shares of something, which sum up to 1. */
const VIEWS: readonly ((session: Behaviour) => Shares)[] = [
  ({ calls, bigrams }) => (calls.size > 0 ? sharesOf(calls) : evenShares(bigrams)),
  ({ callTrigrams, calls, bigrams, fiveGrams }) => {
    if (callTrigrams.size > 0) return sharesOf(callTrigrams);
    if (calls.size > 0) return sharesOf(calls);
    return evenShares(fiveGrams.size > 0 ? fiveGrams : bigrams);
  },
];

function evenShares(words: Words): Shares {
  return new Map([...words.keys()].map((word) => [word, 1 / words.size]));
}

/** Sessions by the words that they have, with the root of each share. */
interface Index {
  readonly sessions: number;
  readonly byWord: ReadonlyMap<string, { readonly sessions: number[]; readonly roots: number[] }>;
}

function indexOf(all: readonly Shares[]): Index {
  const byWord = new Map<string, { sessions: number[]; roots: number[] }>();
  all.forEach((shares, session) => {
    for (const [word, share] of shares) {
      const entry = byWord.get(word) ?? { sessions: [], roots: [] };
      if (entry.sessions.length === 0) byWord.set(word, entry);
      entry.sessions.push(session);
      entry.roots.push(Math.sqrt(share));
    }
  });
  return { sessions: all.length, byWord };
}

/** The Hellinger distance, times √2, to the nearest session; √2 where nothing is shared. */
function distanceTo({ sessions, byWord }: Index, shares: Shares): number {
  const likeness = new Float64Array(sessions);
  for (const [word, share] of shares) {
    const entry = byWord.get(word);
    if (entry === undefined) continue;
    const root = Math.sqrt(share);
    const { sessions: holders, roots } = entry;
    for (let at = 0; at < holders.length; at++) {
      const holder = holders[at] as number;
      likeness[holder] = (likeness[holder] as number) + root * (roots[at] as number);
    }
  }
  let nearest = 0;
  for (const one of likeness) nearest = Math.max(nearest, one);
  return Math.sqrt(Math.max(0, 2 - 2 * nearest));
}
