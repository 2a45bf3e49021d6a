import type { Behaviour, Words } from './behaviour.ts';
import { FEATURE_AT, FEATURES, transformed } from './features.ts';
import { type OpenVocabulary, sharesOf } from './vocabulary.ts';

/** A session's features on the scale of scores, those of its vocabulary included. */
export interface Measured {
  /** In the order of `FEATURES`, transformed; null: not known. */
  readonly values: readonly (number | null)[];
  /** The same before the transform, for people. */
  readonly raw: readonly (number | null)[];
  /** What a share is of; 0 for what is no share. */
  readonly of: readonly number[];
  /** The event or step behind each; 0: none in particular. */
  readonly at: readonly number[];
}

/** How many of a session's rarest bigrams make its surprise: one rare step in a long session must not be averaged away. */
const RAREST = 3;

/**
 * Measures a session against a vocabulary. `isOwn`: the session is one of those that the vocabulary was made from, and is taken
 * out of it for this, so that its own words are as rare to it as they would be to a stranger's.
 */
export function measureRarity(behaviour: Behaviour, vocabulary: OpenVocabulary, isOwn: boolean): Measured {
  const raw = [...behaviour.values];
  const of = [...behaviour.of];
  const at = [...behaviour.at];
  const put = (name: keyof typeof FEATURE_AT, value: number | null, where = 0) => {
    raw[FEATURE_AT[name]] = value;
    if (where > 0) at[FEATURE_AT[name]] = where;
  };
  const seen = (words: Words, kind: 'executables' | 'prefixes' | 'bigrams' | 'fiveGrams') =>
    rarest({ words, counts: vocabulary.words[kind], sessions: vocabulary.sessions, own: isOwn ? 1 : 0 });
  const [executable, prefix] = [seen(behaviour.executables, 'executables'), seen(behaviour.prefixes, 'prefixes')];
  const [bigram, five] = [seen(behaviour.bigrams, 'bigrams'), seen(behaviour.fiveGrams, 'fiveGrams')];
  put('rarest_executable', executable.top[0] ?? null, executable.at);
  put('rarest_path_prefix', prefix.top[0] ?? null, prefix.at);
  put('bigram_surprise', mean(bigram.top), bigram.at);
  put('unseen_five_grams', five.words === 0 ? null : five.unseen / five.words, five.at);
  of[FEATURE_AT.unseen_five_grams] = five.words;
  measureCalls(behaviour, { vocabulary, isOwn }, put);
  const values = FEATURES.map((feature, index) => transformed(feature, raw[index] ?? null, of[index] || undefined));
  return { values, raw, of, at };
}

/** The transformed values of a session's own counters; those that need a vocabulary are null. */
export function shapeOf({ values, of }: Behaviour): readonly (number | null)[] {
  return FEATURES.map((feature, index) => transformed(feature, values[index] ?? null, of[index] || undefined));
}

interface Asked {
  readonly words: Words;
  readonly counts: ReadonlyMap<string, number>;
  readonly sessions: number;
  readonly own: number;
}

/** −log10 of the share of sessions with a word, of the rarest ones, falling; a word that nobody used counts as one in n + 2. */
function rarest({ words, counts, sessions, own }: Asked) {
  // the fewest sessions of each, rising: the logarithm is taken of those that are left
  const fewest: number[] = [];
  let at = 0;
  let unseen = 0;
  for (const [word, where] of words) {
    const others = Math.max(0, (counts.get(word) ?? own) - own);
    if (others === 0) unseen++;
    if (fewest.length === RAREST && others >= (fewest[RAREST - 1] as number)) continue;
    if (others < (fewest[0] ?? Number.POSITIVE_INFINITY)) at = where;
    let place = fewest.length === RAREST ? RAREST - 1 : fewest.length;
    while (place > 0 && (fewest[place - 1] as number) > others) {
      fewest[place] = fewest[place - 1] as number;
      place--;
    }
    fewest[place] = others;
  }
  const top = fewest.map((others) => -Math.log10((others + 1) / (sessions - own + 2)));
  return { top, at, unseen, words: words.size };
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

type Put = (name: keyof typeof FEATURE_AT, value: number | null) => void;

function measureCalls(
  { calls, callTrigrams }: Behaviour,
  { vocabulary, isOwn }: { readonly vocabulary: OpenVocabulary; readonly isOwn: boolean },
  put: Put,
): void {
  const sessions = vocabulary.callSessions - (isOwn ? 1 : 0);
  if (calls.size === 0 || sessions <= 0) return;
  const own = isOwn ? 1 : 0;
  const shares = sharesOf(calls);
  const honest = new Map<string, number>();
  for (const [call, sum] of vocabulary.callShares) {
    honest.set(call, Math.max(0, sum - own * (shares.get(call) ?? 0)) / sessions);
  }
  put('call_distance', Math.sqrt(divergence(shares, honest)));
  const words = new Map([...calls.keys()].map((call) => [call, 0]));
  const { top } = rarest({ words, counts: vocabulary.words.callNames, sessions, own });
  put('rarest_call', top[0] ?? null);
  if (callTrigrams.size === 0) return;
  let unseen = 0;
  for (const trigram of callTrigrams.keys())
    if ((vocabulary.words.callTrigrams.get(trigram) ?? own) - own <= 0) unseen++;
  put('unseen_call_trigrams', (unseen / callTrigrams.size) * 10_000);
}

/** Jensen–Shannon divergence of two distributions in bits, 0 to 1 (Lin 1991); its root is a distance. */
function divergence(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const call of new Set([...one.keys(), ...other.keys()])) {
    const [p, q] = [one.get(call) ?? 0, other.get(call) ?? 0];
    const middle = (p + q) / 2;
    if (p > 0) sum += (p / 2) * Math.log2(p / middle);
    if (q > 0) sum += (q / 2) * Math.log2(q / middle);
  }
  return Math.max(0, sum);
}
