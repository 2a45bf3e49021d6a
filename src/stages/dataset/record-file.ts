import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Digest } from '../../platform/base/digest.ts';

/** A file that was written whole. */
export interface WrittenFile {
  readonly records: number;
  readonly bytes: number;
  readonly sha256: Digest;
}

/** Text that is gathered before it is written. */
const BUFFER_CHARS = 1_000_000;

/** Writes a file of JSON Lines, one record after the other; its memory does not grow with it. */
export class RecordFile {
  readonly #hash = createHash('sha256');
  readonly #handle: FileHandle;
  #pending: string[] = [];
  #pendingChars = 0;
  #records = 0;
  #bytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Makes the file, which must not be there. */
  static async create(path: string): Promise<RecordFile> {
    return new RecordFile(await open(path, 'wx'));
  }

  /** Adds one record; the line has no line break in it. */
  async add(line: string): Promise<void> {
    this.#records++;
    this.#pending.push(line, '\n');
    this.#pendingChars += line.length + 1;
    if (this.#pendingChars >= BUFFER_CHARS) await this.#flush();
  }

  /** Writes what is left, and asks the disk to have it. */
  async finish(): Promise<WrittenFile> {
    await this.#flush();
    await this.#handle.sync();
    await this.#handle.close();
    return { records: this.#records, bytes: this.#bytes, sha256: `sha256:${this.#hash.digest('hex')}` };
  }

  /** Lets go of the file as it is. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#pending.join(''));
    this.#pending = [];
    this.#pendingChars = 0;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#handle.writeFile(bytes);
  }
}
