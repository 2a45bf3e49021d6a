import { FEATURE_AT, FEATURES, type FeatureName } from './features.ts';

/** What a session used, with the number of the event (or step) at which it was first seen. */
export type Words = ReadonlyMap<string, number>;

/** The behaviour of one session, before it is compared with any other. */
export interface Behaviour {
  /** In the order of `FEATURES`, raw; null: not known. Those with the source `vocabulary` are null here. */
  readonly values: readonly (number | null)[];
  /** What a share is of, in the same order; 0 for what is no share. */
  readonly of: readonly number[];
  /** The event (or step, from 1) that first made a feature what it is; 0: none in particular. */
  readonly at: readonly number[];
  readonly executables: Words;
  readonly prefixes: Words;
  readonly bigrams: Words;
  readonly fiveGrams: Words;
  /** How often each system call was made; empty: not known. */
  readonly calls: ReadonlyMap<string, number>;
  /** How often each three calls in a row were made; empty: not known. */
  readonly callTrigrams: ReadonlyMap<string, number>;
}

/** Different words of one kind that are kept of one session; a flood of them tells no more. */
const MOST_WORDS = 2_000;
const MOST_ACTIONS = 20_000;
const FIVE = 5;

/** Collects one session's features; what was never told of stays missing. */
export class Tally {
  readonly #values: (number | null)[] = FEATURES.map(() => null);
  readonly #of: number[] = FEATURES.map(() => 0);
  readonly #at: number[] = FEATURES.map(() => 0);
  readonly #actions: string[] = [];
  readonly #actionsAt: number[] = [];
  readonly executables = new Map<string, number>();
  readonly prefixes = new Map<string, number>();
  readonly calls = new Map<string, number>();
  readonly callTrigrams = new Map<string, number>();

  /** These are known from now on, and nothing of them has been seen yet. */
  know(names: readonly FeatureName[]): void {
    for (const name of names) this.#values[FEATURE_AT[name]] ??= 0;
  }

  /** These cannot be told: a source of them failed. What was seen of them stays, as a lower bound. */
  doubt(names: readonly FeatureName[]): void {
    for (const name of names) {
      if (this.#values[FEATURE_AT[name]] === 0) this.#values[FEATURE_AT[name]] = null;
    }
  }

  add(name: FeatureName, amount: number, at: number): void {
    const index = FEATURE_AT[name];
    this.#values[index] = (this.#values[index] ?? 0) + amount;
    if (this.#at[index] === 0) this.#at[index] = at;
  }

  most(name: FeatureName, value: number, at: number): void {
    const index = FEATURE_AT[name];
    if (value <= (this.#values[index] ?? -1)) return;
    this.#values[index] = value;
    this.#at[index] = at;
  }

  set(name: FeatureName, value: number | null): void {
    this.#values[FEATURE_AT[name]] = value;
  }

  setShare(name: FeatureName, part: number, of: number): void {
    this.#values[FEATURE_AT[name]] = of > 0 ? part / of : null;
    this.#of[FEATURE_AT[name]] = of;
  }

  get(name: FeatureName): number | null {
    return this.#values[FEATURE_AT[name]] ?? null;
  }

  executable(word: string, at: number): void {
    note(this.executables, word, at);
  }

  prefix(word: string, at: number): void {
    note(this.prefixes, word, at);
  }

  action(word: string, at: number): void {
    if (this.#actions.length >= MOST_ACTIONS) return;
    this.#actions.push(word);
    this.#actionsAt.push(at);
  }

  finish(): Behaviour {
    const { executables, prefixes, calls, callTrigrams } = this;
    return {
      ...{ values: this.#values, of: this.#of, at: this.#at, executables, prefixes, calls, callTrigrams },
      bigrams: this.#grams(2),
      fiveGrams: this.#grams(FIVE),
    };
  }

  /** Runs of n actions. Begin and end count as actions, so that how a session opens and closes is part of its sequence. */
  #grams(n: number): Words {
    const words = new Map<string, number>();
    if (this.#actions.length === 0) return words;
    const row = ['^', ...this.#actions, '$'];
    for (let from = 0; from + n <= row.length; from++) {
      const at = this.#actionsAt[Math.min(from + n - 2, this.#actionsAt.length - 1)] ?? 0;
      note(words, row.slice(from, from + n).join(' '), at);
    }
    return words;
  }
}

function note(words: Map<string, number>, word: string, at: number): void {
  if (word === '' || words.size >= MOST_WORDS || words.has(word)) return;
  words.set(word, at);
}
