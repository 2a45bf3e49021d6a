import type { LeakBounds, Secret } from './leak.ts';
import { IS_NOISE, longNoiseAt, lowerCase, MAY_BEGIN_NOISE, normalised } from './noise.ts';

/** How a secret stands in a view, the plainest first. */
export const GUISES = ['plain', 'normalised', 'reversed', 'rot13'] as const;
export type Guise = (typeof GUISES)[number];

/** A secret in a view. */
export interface Match {
  /** Its place among the secrets given. */
  readonly secret: number;
  readonly guise: Guise;
  /** The byte at which it begins. */
  readonly at: number;
}

/** Finds all secrets in all guises in one pass over a view. */
export interface SecretMatcher {
  /** How many secrets are looked for. */
  readonly count: number;
  /** Whether a bound left a secret out. */
  readonly cut: boolean;
  /** One match for each secret that stands there: the plainest, and of those the first. */
  search(bytes: Buffer): readonly Match[];
}

const [FEWEST_CHARACTERS, FEWEST_DIFFERENT] = [10, 5];

/** Makes what finds these secrets. */
export function secretMatcher(
  secrets: readonly Secret[],
  bounds: Pick<LeakBounds, 'maxSecrets' | 'maxSecretBytes'>,
): SecretMatcher {
  const patterns: Pattern[] = [];
  let [count, secretBytes, cut] = [0, 0, false];
  for (const [secret, { value }] of secrets.entries()) {
    const text = normalised(value);
    const characters = [...text.toString()];
    if (characters.length < FEWEST_CHARACTERS || new Set(characters).size < FEWEST_DIFFERENT) continue;
    if (count >= bounds.maxSecrets || secretBytes + text.length > bounds.maxSecretBytes) {
      cut = true;
      continue;
    }
    count++;
    secretBytes += text.length;
    patterns.push(
      { secret, guise: 'normalised', text },
      { secret, guise: 'reversed', text: Buffer.from(characters.reverse().join('')) },
      { secret, guise: 'rot13', text: text.map(rot13) },
    );
  }
  const automaton = buildAutomaton(patterns);
  const values = secrets.map(({ value }) => Buffer.from(value));
  return { count, cut, search: (bytes) => plainest(run(automaton, bytes), values, bytes) };
}

function rot13(byte: number): number {
  return byte >= 0x61 && byte <= 0x7a ? ((byte - 0x61 + 13) % 26) + 0x61 : byte;
}

/** The best match of each secret; one that was found normalised is looked for as it is. */
function plainest(matches: readonly Match[], values: readonly Buffer[], bytes: Buffer): readonly Match[] {
  const best = new Map<number, Match>();
  for (const match of matches) {
    const known = best.get(match.secret);
    if (known === undefined || GUISES.indexOf(match.guise) < GUISES.indexOf(known.guise)) best.set(match.secret, match);
  }
  return [...best.values()].map((match) => {
    const at = match.guise === 'normalised' ? bytes.indexOf(values[match.secret] as Buffer) : -1;
    return at === -1 ? match : { ...match, guise: 'plain', at };
  });
}

interface Pattern {
  readonly secret: number;
  readonly guise: Guise;
  readonly text: Uint8Array;
}

const [LOOK, SKIP] = [0xfffe, 0xffff];

/**
 * Aho and Corasick's automaton ("Efficient string matching", 1975): one step for each byte whatever the text, so that
 * no text is slow. Bytes that no pattern holds share class 0, which leads back to the root.
 */
interface Automaton {
  readonly classOf: Uint16Array;
  /** The class of a byte, or SKIP where it is noise, or LOOK where it may begin some. */
  readonly actionOf: Uint16Array;
  readonly classes: number;
  /** State times `classes` plus class: the next state. */
  readonly next: Int32Array;
  readonly ends: ReadonlyMap<number, readonly Pattern[]>;
  /** For each state the next shorter one at which a pattern ends; 0 for none. */
  readonly shorter: Int32Array;
  /** 1 where a pattern ends, be it a shorter one. */
  readonly isEnd: Uint8Array;
}

function buildAutomaton(patterns: readonly Pattern[]): Automaton {
  const used = [...new Set(patterns.flatMap(({ text }) => [...text]))];
  const classOf = new Uint16Array(256);
  for (const [index, byte] of used.entries()) classOf[byte] = index + 1;
  const actionOf = new Uint16Array(256);
  for (let byte = 0; byte < 256; byte++) {
    classOf[byte] = classOf[lowerCase(byte)] as number;
    actionOf[byte] = IS_NOISE[byte] === 1 ? SKIP : MAY_BEGIN_NOISE[byte] === 1 ? LOOK : (classOf[byte] as number);
  }
  const classes = used.length + 1;
  const most = 1 + patterns.reduce((sum, { text }) => sum + text.length, 0);
  const next = new Int32Array(most * classes);
  const ends = new Map<number, Pattern[]>();
  let states = 1;
  for (const pattern of patterns) {
    let state = 0;
    for (const byte of pattern.text) {
      const edge = state * classes + (classOf[byte] as number);
      if (next[edge] === 0) next[edge] = states++;
      state = next[edge] as number;
    }
    ends.set(state, [...(ends.get(state) ?? []), pattern]);
  }
  return { classOf, actionOf, classes, next, ends, ...linkStates({ next, classes, states, ends }) };
}

/** Fills the edges that leave the tree of patterns, state by state from the root. */
function linkStates({
  next,
  classes,
  states,
  ends,
}: Pick<Automaton, 'next' | 'classes' | 'ends'> & { states: number }) {
  const fallback = new Int32Array(states);
  const shorter = new Int32Array(states);
  const isEnd = new Uint8Array(states);
  const queue = new Int32Array(states);
  let queued = 1;
  for (let head = 0; head < queued; head++) {
    const state = queue[head] as number;
    const fallen = fallback[state] as number;
    shorter[state] = ends.has(fallen) ? fallen : (shorter[fallen] as number);
    isEnd[state] = ends.has(state) || shorter[state] !== 0 ? 1 : 0;
    for (let of = 0; of < classes; of++) {
      const edge = state * classes + of;
      const instead = state === 0 ? 0 : (next[fallen * classes + of] as number);
      const child = next[edge] as number;
      if (child === 0) next[edge] = instead;
      else {
        fallback[child] = instead;
        queue[queued++] = child;
      }
    }
  }
  return { shorter, isEnd };
}

/** The first match of every pattern. */
function run(automaton: Automaton, bytes: Buffer): readonly Match[] {
  const { classOf, actionOf, classes, next, isEnd } = automaton;
  const matches: Match[] = [];
  const seen = new Set<number>();
  let state = 0;
  for (let at = 0; at < bytes.length; at++) {
    let action = actionOf[bytes[at] as number] as number;
    if (action >= LOOK) {
      const noise = action === SKIP ? 1 : longNoiseAt(bytes, at);
      if (noise > 0) {
        at += noise - 1;
        continue;
      }
      action = classOf[bytes[at] as number] as number;
    }
    state = next[state * classes + action] as number;
    if (isEnd[state] === 0 || seen.has(state)) continue;
    for (const { secret, guise, text } of newEnds(automaton, state, seen)) {
      matches.push({ secret, guise, at: beginning(bytes, at, text.length) });
    }
  }
  return matches;
}

/** The patterns that end at a state and were not seen before; so a text full of secrets costs no more than another. */
function newEnds({ ends, shorter }: Automaton, state: number, seen: Set<number>): readonly Pattern[] {
  const found: Pattern[] = [];
  for (let end = state; end !== 0 && !seen.has(end); end = shorter[end] as number) {
    seen.add(end);
    found.push(...(ends.get(end) ?? []));
  }
  return found;
}

/** Goes back from a match's last byte over as many bytes as were matched; noise beyond ASCII makes it stop a little late. */
function beginning(bytes: Buffer, last: number, length: number): number {
  let at = last;
  for (let left = length - 1; left > 0 && at > 0; ) {
    at--;
    if (IS_NOISE[bytes[at] as number] === 0) left--;
  }
  return at;
}
