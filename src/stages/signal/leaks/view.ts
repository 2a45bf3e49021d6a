import { FEWEST_BYTES, type LeakBounds } from './leak.ts';

/** Bytes in which secrets are looked for: a haystack, or all that one decoder found in another view. */
export interface View {
  readonly bytes: Buffer;
  /** The haystack's place among those given. */
  readonly haystack: number;
  /** The decoders on the way to it; none for the haystack itself. */
  readonly way: readonly string[];
  /** The runs or members that it was decoded from, one after the other with a zero byte between them. */
  readonly pieces: readonly Piece[];
  /** The haystack's line, from 1, that a byte of the view comes from; 0 for what was packed. */
  lineAt(at: number): number;
}

/** Part of a view. */
export interface Piece {
  readonly from: number;
  readonly to: number;
}

/** What is left of the bounds. */
export interface Budget {
  readonly bounds: LeakBounds;
  bytesLeft: number;
  viewsLeft: number;
  cut: boolean;
}

/** Takes bytes off a budget. */
export function charge(budget: Budget, bytes: number): void {
  if (bytes > budget.bytesLeft) budget.cut = true;
  budget.bytesLeft = Math.max(0, budget.bytesLeft - bytes);
}

/** A haystack as it is, or as much of it as the budget allows. */
export function rawView(bytes: Buffer, haystack: number, budget: Budget): View {
  const granted = bytes.subarray(0, budget.bytesLeft);
  charge(budget, bytes.length);
  return { bytes: granted, haystack, way: [], pieces: [{ from: 0, to: granted.length }], lineAt: lineCounter(granted) };
}

function lineCounter(bytes: Buffer): (at: number) => number {
  let ends: readonly number[] | null = null;
  return (at) => {
    ends ??= lineEnds(bytes);
    return 1 + firstFrom(ends, at);
  };
}

function lineEnds(bytes: Buffer): readonly number[] {
  const ends: number[] = [];
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, end + 1)) ends.push(end);
  return ends;
}

/** The place, in an ascending list, of the first number that is `least` or more. */
function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Room that is made at first. Most decoders find nothing in most views. */
const FIRST_BYTES = 256;

/** Bytes that grow up to a limit. */
export class GrowingBytes {
  readonly maxBytes: number;
  length = 0;
  /** Whether a byte found no room. */
  isFull = false;
  #bytes = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  push(byte: number): void {
    if (!this.#hasRoom()) return;
    this.#bytes[this.length++] = byte;
  }

  /** Repeats bytes that stand `distance` before the end; as those grow meanwhile, a run may repeat itself. */
  repeat(distance: number, count: number): void {
    for (let left = count; left > 0 && this.#hasRoom(); left--) {
      this.#bytes[this.length] = this.#bytes[this.length - distance] as number;
      this.length++;
    }
  }

  append(bytes: Buffer): void {
    while (this.#bytes.length - this.length < bytes.length && this.#bytes.length < this.maxBytes) this.#grow();
    const granted = bytes.subarray(0, this.maxBytes - this.length);
    granted.copy(this.#bytes, this.length);
    this.length += granted.length;
    this.isFull ||= granted.length < bytes.length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #hasRoom(): boolean {
    this.isFull ||= this.length >= this.maxBytes;
    if (!this.isFull && this.length === this.#bytes.length) this.#grow();
    return !this.isFull;
  }

  #grow(): void {
    const wider = Buffer.alloc(Math.max(FIRST_BYTES, this.#bytes.length * 2));
    this.bytes().copy(wider);
    this.#bytes = wider;
  }
}

/** Collects what a decoder finds in a view, piece by piece. */
export class ViewWriter {
  readonly out: GrowingBytes;
  readonly #pieces: Piece[] = [];
  readonly #marks: number[] = [];
  readonly #sources: number[] = [];
  #from = 0;

  constructor(maxBytes: number) {
    this.out = new GrowingBytes(maxBytes);
  }

  /** Begins a piece that was decoded from this byte of the source. */
  begin(source: number): void {
    if (this.out.length > 0) this.out.push(0);
    this.#from = this.out.length;
    this.mark(source);
  }

  /** What follows was decoded from this byte of the source. */
  mark(source: number): void {
    this.#marks.push(this.out.length);
    this.#sources.push(source);
  }

  /** Ends a piece; one that is too short to hold a secret is dropped. */
  end(): void {
    const to = this.out.length;
    if (to - this.#from >= FEWEST_BYTES) this.#pieces.push({ from: this.#from, to });
    else {
      this.out.length = Math.max(0, this.#from - 1);
      while (this.#marks.length > 0 && (this.#marks.at(-1) as number) >= this.#from) {
        this.#marks.pop();
        this.#sources.pop();
      }
    }
  }

  /** The view, or null when nothing was found. `stride` is how many bytes of the source gave one of the view. */
  view(source: View, { way, packed, stride }: { way: string; packed: boolean; stride: number }): View | null {
    if (this.#pieces.length === 0) return null;
    const [marks, sources] = [this.#marks, this.#sources];
    const lineAt = (at: number) => {
      const mark = firstFrom(marks, at + 1) - 1;
      const from = (sources[mark] ?? 0) + (at - (marks[mark] ?? 0)) * stride;
      return packed ? 0 : source.lineAt(Math.min(from, source.bytes.length));
    };
    const { haystack } = source;
    return { bytes: this.out.bytes(), haystack, way: [...source.way, way], pieces: this.#pieces, lineAt };
  }
}

/** Finds one kind of disguise in a view. */
export interface Decoder {
  readonly way: string;
  /** Whether what it finds was packed, so that it has no line. */
  readonly packed: boolean;
  /** How many bytes of the source give one; 0 where a line is told by where a run begins. */
  readonly stride: number;
  decode(view: View, writer: ViewWriter, budget: Budget): void;
}
