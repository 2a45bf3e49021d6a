import { endOfLastString } from './split-arguments.ts';

/** Longer lines are shortened: reading one must not keep a service from its other work. */
const LONG = 512 * 1024;
/** All that is ever told of an execution's arguments stands well within this much of its line. */
const HEAD = 384 * 1024;
const TAIL = 4096;
const EXECUTION = /^\d+ +\d+\.\d{6} execve(?:at)?\(/;

/** The beginning of a line whose end has not been read yet, in little memory however long it is. */
export class LineCarry {
  #head = '';
  #tail = '';
  #long = false;

  /** Nothing of a line stands here. */
  get empty(): boolean {
    return this.#head === '';
  }

  /** Adds the next part of the line. */
  add(text: string): void {
    if (this.#long) {
      this.#tail = (this.#tail + text).slice(-TAIL);
      return;
    }
    this.#head += text;
    if (this.#head.length <= LONG) return;
    this.#long = true;
    this.#tail = this.#head.slice(-TAIL);
    this.#head = this.#head.slice(0, HEAD);
  }

  /** The line, which ends here; null if it was too long. */
  take(): string | null {
    const line = this.#long ? shortened(this.#head, this.#tail) : this.#head;
    this.#head = '';
    this.#tail = '';
    this.#long = false;
    return line;
  }
}

/**
 * The line of an execution with arguments left off, as strace itself leaves them off. Only lists of arguments can be so
 * long. After the last quotation mark of the line nothing is an agent's text any more.
 */
function shortened(head: string, tail: string): string | null {
  const start = head.match(EXECUTION);
  const lastQuote = tail.lastIndexOf('"');
  const closing = tail.indexOf(']', lastQuote);
  if (start === null || lastQuote < 0 || closing < 0) return null;
  const end = endOfLastString(head, start[0].length);
  return end < 0 ? null : `${head.slice(0, end)}, ...${tail.slice(closing)}`;
}
