import type { Readable } from 'node:stream';
import { type WaitStatus, waitStatusOf } from '../commands/status-stream.ts';
import type { RefusedCall } from '../live-sandbox.ts';

/** What the process that entered for a step tells of it. Nothing inside can write there. */
export interface StepWords {
  /** Resolves with the program's wait status; null when there will be none. */
  readonly ended: Promise<WaitStatus | null>;
  /** Why the program was not started, once that was told. */
  failure(): string | null;
  /** Whether nothing of it is left, by the word of who watched it to the end. */
  isOver(): boolean;
  refused(): { readonly calls: readonly RefusedCall[]; readonly more: number };
}

const LONGEST_LINE = 4_096;

/** Reads what is told until the stream ends. */
export function readStepWords(stream: Readable): StepWords {
  const calls: RefusedCall[] = [];
  let more = 0;
  let failure: string | null = null;
  let isOver = false;
  let rest = '';
  let tellEnd: (status: WaitStatus | null) => void = () => undefined;
  const ended = new Promise<WaitStatus | null>((resolve) => {
    tellEnd = resolve;
  });
  const read: Readonly<Record<string, (words: readonly string[], line: string) => void>> = {
    failed: (_, line) => {
      failure = line.slice('failed '.length);
    },
    ended: ([status]) => tellEnd(waitStatusOf(Number(status))),
    gone: ([count]) => {
      more = Number(count);
      isOver = true;
    },
    refused: ([pid, number, ...args]) =>
      void calls.push({ atMs: Date.now(), pid: Number(pid), number: Number(number), args }),
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) {
      const [word = '', ...words] = line.split(' ');
      read[word]?.(words, line);
    }
  });
  stream.on('error', () => undefined).on('close', () => tellEnd(null));
  return { ended, failure: () => failure, isOver: () => isOver, refused: () => ({ calls, more }) };
}
