import { z } from 'zod';
import type { Behaviour, Words } from './behaviour.ts';

const frequencies = z.array(z.tuple([z.string(), z.number()])).readonly();

/** The kinds of words of which a vocabulary knows in how many sessions they occur. */
export const WORD_KINDS = ['executables', 'prefixes', 'bigrams', 'fiveGrams', 'callNames', 'callTrigrams'] as const;
/** One of them. */
export type WordKind = (typeof WORD_KINDS)[number];

export const vocabularySchema = z.object({
  sessions: z.int(),
  /** Sessions of which system calls are known. */
  callSessions: z.int(),
  words: z.record(z.enum(WORD_KINDS), frequencies),
  /** Sums over sessions of each call's share of the session's calls. */
  callShares: frequencies,
});

/** What the sessions of a reference used, as pairs in alphabetical order. */
export type Vocabulary = Readonly<z.infer<typeof vocabularySchema>>;

/** A vocabulary that can be asked. */
export interface OpenVocabulary {
  readonly sessions: number;
  readonly callSessions: number;
  readonly words: Readonly<Record<WordKind, ReadonlyMap<string, number>>>;
  readonly callShares: ReadonlyMap<string, number>;
}

/** Words of one kind that are kept, the most frequent: a word that is left out counts as never seen. */
const MOST_WORDS = 65_536;

/** Counts in how many sessions each word occurs. */
export function makeVocabulary(sessions: readonly Behaviour[]): Vocabulary {
  const counts = perKind(() => new Map<string, number>());
  const shares = new Map<string, number>();
  let callSessions = 0;
  for (const session of sessions) {
    for (const kind of WORD_KINDS) for (const word of wordsOf(session, kind)) add(counts[kind], word, 1);
    if (session.calls.size > 0) callSessions++;
    for (const [call, share] of sharesOf(session.calls)) add(shares, call, share);
  }
  const words = perKind((kind) => pairsOf(counts[kind]));
  return { sessions: sessions.length, callSessions, words, callShares: pairsOf(shares) };
}

export function openVocabulary({ sessions, callSessions, words, callShares }: Vocabulary): OpenVocabulary {
  const maps = perKind((kind) => new Map(words[kind]));
  return { sessions, callSessions, words: maps, callShares: new Map(callShares) };
}

/** The different words of one kind that a session used. */
export function wordsOf(session: Behaviour, kind: WordKind): Iterable<string> {
  if (kind === 'callNames') return session.calls.keys();
  if (kind === 'callTrigrams') return session.callTrigrams.keys();
  return (session[kind] as Words).keys();
}

/** Each word's share of all that were counted. */
export function sharesOf(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  let all = 0;
  for (const count of counts.values()) all += count;
  const shares = new Map<string, number>();
  if (all > 0) for (const [word, count] of counts) shares.set(word, count / all);
  return shares;
}

function perKind<T>(make: (kind: WordKind) => T): Record<WordKind, T> {
  return Object.fromEntries(WORD_KINDS.map((kind): [string, T] => [kind, make(kind)])) as Record<WordKind, T>;
}

function add(counts: Map<string, number>, word: string, amount: number): void {
  counts.set(word, (counts.get(word) ?? 0) + amount);
}

function pairsOf(counts: ReadonlyMap<string, number>): [string, number][] {
  const pairs = [...counts];
  const kept = pairs.length <= MOST_WORDS ? pairs : pairs.sort(byFrequency).slice(0, MOST_WORDS);
  return kept.sort(byWord);
}

function byWord([one]: readonly [string, number], [other]: readonly [string, number]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function byFrequency(one: readonly [string, number], other: readonly [string, number]): number {
  return other[1] - one[1] || byWord(one, other);
}
