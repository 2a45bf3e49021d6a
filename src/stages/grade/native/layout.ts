import { randomInt } from 'node:crypto';
import { WORDS } from '../../instance/word-list.ts';
import type { TaskFile } from '../../task/task.ts';

/** A test that must fail: it stands for one expectation of `of`, with a wrong value. */
export interface PlacedTwin {
  /** Id of the required test, without parameters where the twin stands for any of them. */
  readonly of: string;
  /** Which of its parameters must fail, by their order; all of them when null or absent. */
  readonly row?: number | null;
}

/** What a name in a runner's report means. */
export type Meaning =
  | { readonly kind: 'test'; readonly id: string }
  | { readonly kind: 'twin'; readonly twin: PlacedTwin }
  /** A test file as a whole, told when none of its tests could be. */
  | { readonly kind: 'file' }
  /** A test of the task's that nobody asked for. */
  | { readonly kind: 'ignored' }
  /** Nothing of the task's has this name. */
  | { readonly kind: 'unknown' };

/** Where the hidden tests stand in one run, and under which names. Drawn anew for each run. */
export interface Layout {
  /** Name of their folder beneath the work folder. */
  readonly folder: string;
  /** Paths beneath that folder. */
  readonly files: readonly TaskFile[];
  /** The test files among them, in the order in which they are to be run. */
  readonly testFiles: readonly string[];
  readonly twins: readonly PlacedTwin[];
  meaningOf(id: string): Meaning;
}

/** Some words that nobody can foresee, for names that look like an author's. */
export function drawWords(count: number): readonly string[] {
  return Array.from({ length: count }, () => WORDS[randomInt(WORDS.length)] ?? 'word');
}

/** A name that is not in `taken` yet, which it joins. */
export function freshName(taken: Set<string>, make: (words: readonly string[]) => string): string {
  for (let count = 2; ; count++) {
    const name = make(drawWords(count));
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/** The same elements in an order that nobody can foresee. */
export function shuffled<T>(elements: readonly T[]): readonly T[] {
  const mixed = [...elements];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = randomInt(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
