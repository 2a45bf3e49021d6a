/** Keeps the last bytes of a stream. */
export class TailBuffer {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    while (this.#parts.length > 1 && this.#length - (this.#parts[0]?.length ?? 0) >= this.#maxBytes) {
      this.#length -= this.#parts.shift()?.length ?? 0;
    }
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#parts);
    return all.subarray(Math.max(0, all.length - this.#maxBytes));
  }
}
