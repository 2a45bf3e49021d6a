import type { Readable } from 'node:stream';
import { processMark } from './process-mark.ts';

/** The first process of a command's pid namespace. */
export interface FirstProcess {
  readonly pid: number;
  /** Tells it from another process that gets the same pid later. */
  readonly mark: string | null;
}

/** A wait status in parts (wait(2)). */
export type WaitStatus = { readonly code: number } | { readonly signal: number };

const MAX_BYTES = 16_384;

/** The parts of a wait status as the kernel gives it, in one number. */
export function waitStatusOf(status: number): WaitStatus {
  return (status & 0x7f) === 0 ? { code: status >> 8 } : { signal: status & 0x7f };
}

/** The first process as `bwrap --json-status-fd` tells it, marked while bwrap holds it at the gate; null when bwrap ends first. */
export function readFirstProcess(stream: Readable): Promise<FirstProcess | null> {
  return new Promise((resolve) => {
    gather(stream, (text) => {
      const pid = Number(text.match(/"child-pid": (\d+)[^\d]/)?.[1]);
      if (Number.isInteger(pid)) resolve({ pid, mark: processMark(pid) });
    });
    stream.on('close', () => resolve(null)).on('error', () => resolve(null));
  });
}

/** The program's wait status as the first process tells it; null while it has told none. Nothing else can write there. */
export function readWaitStatus(stream: Readable): () => WaitStatus | null {
  let told: WaitStatus | null = null;
  gather(stream, (text) => {
    const status = Number(text.match(/^ended (\d+)\n/)?.[1]);
    if (!Number.isInteger(status)) return;
    told = waitStatusOf(status);
  });
  stream.on('error', () => undefined);
  return () => told;
}

function gather(stream: Readable, look: (text: string) => void): void {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    if (text.length > MAX_BYTES) return;
    text += chunk.toString('latin1');
    look(text);
  });
}
