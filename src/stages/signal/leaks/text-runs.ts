import type { Decoder, ViewWriter } from './view.ts';

/** An encoding that writes a few bits with each letter. */
interface Alphabet {
  readonly way: string;
  readonly bits: 4 | 5 | 6;
  /** The value of each byte; NONE for those that are no letters. */
  readonly values: Uint8Array;
  /** What may stand between letters of one run: flags below for each byte, 0 for what ends it. */
  readonly gaps: Uint8Array;
  /** A gap must hold one of these to join what stands before and after it. */
  readonly joining: number;
  /** Letters that ten bytes need. */
  readonly fewest: number;
}

const NONE = 255;
/** After so many lines of a run, those of fewer letters are not told apart: they would take more room than their text. */
const [EXACT_LINES, FEWEST_TOLD] = [1_000, 16];
const [LETTER, END, BLANK, LINE_END, QUOTE] = [0, -1, 1, 2, 4];
const [PLUS, BACKSLASH, LETTER_N, LETTER_R] = [0x2b, 0x5c, 0x6e, 0x72];

function table(entries: Readonly<Record<string, number>>, otherwise: number): Uint8Array {
  const values = new Uint8Array(256).fill(otherwise);
  for (const [letters, value] of Object.entries(entries)) {
    for (const [index, letter] of [...letters].entries()) {
      values[letter.charCodeAt(0)] = otherwise === NONE ? value + index : value;
    }
  }
  return values;
}

/** Line ends as in MIME and PEM, and the quotes and commas of literals over several lines; words of prose are not joined. */
const LITERALS = table({ ' \t,\\': BLANK, '\r\n': LINE_END, '"\'`': QUOTE }, 0);
const PAIRS = table({ ' \t,\\:-;|"\'`': BLANK, '\r\n': LINE_END }, 0);

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** RFC 4648, sections 4 and 5 together. */
const BASE64: Alphabet = {
  ...{ way: 'base64', bits: 6, fewest: 14, gaps: LITERALS, joining: LINE_END | QUOTE },
  values: table({ [`${CAPITALS}${CAPITALS.toLowerCase()}0123456789+/`]: 0, '-_': 62 }, NONE),
};

/** RFC 4648, section 6. */
const BASE32: Alphabet = {
  ...{ way: 'base32', bits: 5, fewest: 16, gaps: LITERALS, joining: LINE_END | QUOTE },
  values: table({ [`${CAPITALS}234567`]: 0 }, NONE),
};

const HEX: Alphabet = {
  ...{ way: 'hex', bits: 4, fewest: 20, gaps: PAIRS, joining: BLANK | LINE_END },
  values: table({ '0123456789abcdef': 0, ABCDEF: 10 }, NONE),
};

const ALPHABETS = [HEX, BASE64, BASE32];

/** Runs of encoded text, read from their first letter. */
export const ALIGNED_RUNS: readonly Decoder[] = ALPHABETS.map((alphabet) => decoderOf(alphabet, () => [0]));

/**
 * The same runs, read from their second letter on and so forth: a word or path before the text may have become part of
 * its run. They cost several times as much, so they come last.
 */
export const SHIFTED_RUNS: readonly Decoder[] = ALPHABETS.map((alphabet) =>
  decoderOf(alphabet, ({ bits }) => Array.from({ length: { 4: 1, 5: 7, 6: 3 }[bits] }, (_, index) => index + 1)),
);

function decoderOf(alphabet: Alphabet, shiftsOf: (alphabet: Alphabet) => readonly number[]): Decoder {
  const shifts = shiftsOf(alphabet);
  return {
    way: alphabet.way,
    packed: false,
    stride: 0,
    decode({ bytes }, writer) {
      for (const run of runs(bytes, alphabet)) {
        for (const shift of shifts) {
          if (writer.out.isFull) return;
          writer.begin(run.at);
          decodeRun(run, { shift, bits: alphabet.bits }, writer);
          writer.end();
        }
      }
    },
  };
}

function decodeRun(run: Run, { shift, bits }: { shift: number; bits: number }, writer: ViewWriter): void {
  const { letters, joints } = run;
  const { out } = writer;
  let [pending, count, joint] = [0, 0, 0];
  for (let at = shift; at < letters.length && !out.isFull; at++) {
    for (; at >= (joints[joint] ?? Number.POSITIVE_INFINITY); joint += 2) writer.mark(joints[joint + 1] as number);
    pending = ((pending << bits) | (letters[at] as number)) & 0xffff;
    count += bits;
    if (count < 8) continue;
    count -= 8;
    out.push((pending >> count) & 0xff);
  }
}

interface Run {
  /** The byte of its first letter. */
  readonly at: number;
  /** Their values; only valid until the next run is asked for. */
  readonly letters: Uint8Array;
  /** For its further lines two numbers each: how many letters stand before it, and the byte at which it begins. */
  readonly joints: readonly number[];
}

/** All runs that are long enough, in one pass. */
function* runs(bytes: Buffer, alphabet: Alphabet): Generator<Run> {
  const { values, joining, fewest } = alphabet;
  let letters: Uint8Array = new Uint8Array(256);
  const run = { at: 0, joints: [] as number[] };
  let [count, gap] = [0, 0];
  // one step more than there are bytes, to end the last run
  for (let at = 0; at <= bytes.length; at++) {
    const step = stepAt(bytes, at, alphabet);
    if (step > 0) {
      gap |= step;
      continue;
    }
    if (isParted(step, gap, joining)) {
      if (count >= fewest) yield { ...run, letters: letters.subarray(0, count) };
      count = 0;
    }
    if (step !== END) {
      if (count === 0 || (gap & LINE_END) !== 0) noteLine(run, count, at);
      letters = withRoom(letters, count);
      letters[count++] = values[bytes[at] as number] as number;
    }
    gap = 0;
  }
}

/** The same letters, in twice the room when there is none left. */
function withRoom(letters: Uint8Array, count: number): Uint8Array {
  if (count < letters.length) return letters;
  const wider = new Uint8Array(2 * letters.length);
  wider.set(letters);
  return wider;
}

/** Whether a run ends before this byte. */
function isParted(step: number, gap: number, joining: number): boolean {
  return step === END || (gap !== 0 && (gap & joining) === 0);
}

function noteLine(run: { at: number; joints: number[] }, count: number, at: number): void {
  if (count === 0) {
    run.at = at;
    if (run.joints.length > 0) run.joints = [];
  } else if (run.joints.length < 2 * EXACT_LINES || count - (run.joints.at(-2) ?? 0) >= FEWEST_TOLD)
    run.joints.push(count, at);
}

/**
 * What a byte does to a run: LETTER, END, or the flags of a gap. A plus sign between two literals is a gap, and so is a
 * line end that is written as an escape, though both are spelt with letters of an alphabet.
 */
function stepAt(bytes: Buffer, at: number, { values, gaps }: Alphabet): number {
  const byte = bytes[at];
  if (byte === undefined) return END;
  if (byte === PLUS && gaps[bytes[at - 1] ?? 0] !== 0 && gaps[bytes[at + 1] ?? 0] !== 0) return LINE_END;
  if ((byte === LETTER_N || byte === LETTER_R) && bytes[at - 1] === BACKSLASH) return LINE_END;
  if (values[byte] !== NONE) return LETTER;
  return (gaps[byte] as number) || END;
}
