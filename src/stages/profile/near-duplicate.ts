import { createHash } from 'node:crypto';
import type { Behaviour } from './behaviour.ts';

/** What a print is of: what a session did, or what it handed in. */
export type PrintKind = 'actions' | 'artifact';

/** A MinHash signature of a set: at each place the least hash of its members. Length `PRINT_LENGTH`. */
export type Print = Uint32Array;

/** Places of a print. The error of a likeness has a deviation of √(s(1−s)/64), at most .063 (Broder 1997). */
export const PRINT_LENGTH = 64;
/**
 * Bands that are looked up, of four places each: two sets of likeness s share one with probability 1 − (1 − s⁴)¹⁶ (Leskovec,
 * Rajaraman, Ullman, "Mining of Massive Datasets", 3.4): .99 at s = .7, .64 at .5, .12 at .3.
 */
export const BANDS = 16;
const ROWS = PRINT_LENGTH / BANDS;
/** Members that are hashed; a flood of them tells no more. */
const MOST_SHINGLES = 20_000;
const WORDS_IN_SHINGLE = 5;
/** Of what was handed in, characters that are read. */
const MOST_CHARS = 1_000_000;

/** The five-in-a-row actions of a session; pairs of them where it made too few for five. */
export function actionShingles({ fiveGrams, bigrams }: Pick<Behaviour, 'fiveGrams' | 'bigrams'>): Iterable<string> {
  return fiveGrams.size > 0 ? fiveGrams.keys() : bigrams.keys();
}

/** Every five words in a row of a text, or all of them where there are fewer. One linear pass. */
export function* textShingles(text: string): Iterable<string> {
  const words = text.slice(0, MOST_CHARS).match(/\w+|[^\s\w]/g) ?? [];
  const last = Math.max(0, words.length - WORDS_IN_SHINGLE);
  if (words.length > 0) for (let at = 0; at <= last; at++) yield words.slice(at, at + WORDS_IN_SHINGLE).join(' ');
}

/** The print of a set; null of an empty one. The same set gives the same print, in whatever order. */
export function printOf(shingles: Iterable<string>): Print | null {
  const print = new Uint32Array(PRINT_LENGTH).fill(0xffffffff);
  let members = 0;
  for (const shingle of shingles) {
    if (members++ >= MOST_SHINGLES) break;
    const base = hash32(shingle);
    for (let place = 0; place < PRINT_LENGTH; place++) {
      const mixed = mix(base ^ (SALTS[place] as number));
      if (mixed < (print[place] as number)) print[place] = mixed;
    }
  }
  return members === 0 ? null : print;
}

/** The share of places at which two prints agree: an estimate of the Jaccard likeness of both sets, 0 to 1. */
export function likenessOf(one: Print, other: Print): number {
  let alike = 0;
  for (let place = 0; place < PRINT_LENGTH; place++) if (one[place] === other[place]) alike++;
  return alike / PRINT_LENGTH;
}

/** Where a print is looked up: one key of 63 bits for each band, in decimal, different for every cohort and kind. */
export function bandKeys(
  print: Print,
  scope: { readonly cohort: string; readonly kind: PrintKind },
): readonly string[] {
  return Array.from({ length: BANDS }, (_, band) => {
    const rows = print.subarray(band * ROWS, (band + 1) * ROWS).join(' ');
    const bytes = createHash('sha256').update(`${scope.kind}\n${band}\n${rows}\n${scope.cohort}`).digest();
    return String(bytes.readBigUInt64BE(0) >> 1n);
  });
}

/** A print as bytes, little-endian, and back; null of bytes that are none. */
export function printBytes(print: Print): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(PRINT_LENGTH * 4));
  print.forEach((value, place) => {
    bytes.setUint32(place * 4, value, true);
  });
  return new Uint8Array(bytes.buffer);
}

export function printFromBytes(bytes: Uint8Array): Print | null {
  if (bytes.length !== PRINT_LENGTH * 4) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: PRINT_LENGTH }, (_, place) => view.getUint32(place * 4, true));
}

/** FNV-1a over UTF-16 units; whoever makes two shingles collide changes one place of 64 in what they could change anyway. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The finalizer of MurmurHash3 (Appleby), a permutation of 32-bit numbers. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** One salt for each place, the same for ever: stored prints depend on them. */
const SALTS = Uint32Array.from({ length: PRINT_LENGTH }, (_, place) => mix(Math.imul(place + 1, 0x9e3779b9)));
