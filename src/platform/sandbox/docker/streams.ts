import { type Duplex, PassThrough } from 'node:stream';
import type { ProgramStreams } from '../commands/pipes.ts';
import { LAST_LINE_BYTES, READY, toldAtEnd } from './gate-script.ts';

/** A header of the engine's: which stream, three zeros, how many bytes (Docker Engine API, "Attach to a container"). */
const HEADER_BYTES = 8;
const STDERR = 2;

/** The streams of a container, and what its gate says on them. */
export interface GateStreams {
  readonly streams: ProgramStreams;
  /** Gives the gate its command; what comes on standard input after it is the program's. */
  begin(request: Buffer): void;
  /** Resolves when the gate waits for its command; rejects when the streams end before. */
  readonly ready: Promise<void>;
  /** Resolves when the engine has ended the streams: nothing in the container holds them any more. Rejects when they break. */
  readonly ended: Promise<void>;
  isEnded(): boolean;
  /** The wait status that the gate has told; null before the end, and where it told none. */
  status(): number | null;
}

/** Takes apart what an attached engine sends, and keeps the gate's own words from the program's standard error. */
export function openGateStreams(attached: Duplex, word: string): GateStreams {
  const stdout = new PassThrough();
  const stderr = gateErrors(word);
  const stdin = new PassThrough();
  stdin.on('error', () => undefined);
  const demux = demultiplex(stdout, stderr);
  attached.on('data', (chunk: Buffer) => {
    if (!demux(chunk)) pauseFor(attached, stdout);
  });
  let isEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    attached.on('end', resolve);
    attached.on('error', reject);
    attached.on('close', () => reject(new Error('the engine closed the streams of a container')));
  }).finally(() => {
    isEnded = true;
    stderr.finish();
    stdout.end();
  });
  ended.catch(() => undefined);
  return {
    streams: { stdin, stdout, stderr: stderr.stream },
    begin(request) {
      attached.write(request);
      stdin.pipe(attached); // its end ends this half only: output still comes
    },
    ready: stderr.ready,
    ended,
    isEnded: () => isEnded,
    status: stderr.status,
  };
}

/** What waits to be read stays in the engine, and so in the program's pipe. */
function pauseFor(attached: Duplex, full: PassThrough): void {
  attached.pause();
  const goOn = () => {
    full.off('drain', goOn).off('close', goOn);
    attached.resume();
  };
  full.on('drain', goOn).on('close', goOn);
}

/** Gives chunks of the engine's stream to standard output and error; false when standard output is full. */
function demultiplex(stdout: PassThrough, stderr: { write(chunk: Buffer): void }): (chunk: Buffer) => boolean {
  let waiting: Buffer = Buffer.alloc(0);
  let left = 0;
  let target = 0;
  const give = (part: Buffer) => {
    if (target === STDERR) stderr.write(part);
    else if (!stdout.destroyed) stdout.write(part);
  };
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (left > 0 ? waiting.length > 0 : waiting.length >= HEADER_BYTES) {
      if (left === 0) {
        [target, left] = [waiting.readUInt8(0), waiting.readUInt32BE(4)];
        waiting = waiting.subarray(HEADER_BYTES);
      }
      const part = waiting.subarray(0, left);
      left -= part.length;
      waiting = waiting.subarray(part.length);
      if (part.length > 0) give(part);
    }
    return stdout.destroyed || !stdout.writableNeedDrain;
  };
}

/** Standard error as the program wrote it, apart from what the gate says before and after it. */
function gateErrors(word: string): GateErrors {
  const stream = new PassThrough();
  let held: Buffer = Buffer.alloc(0);
  let isReady = false;
  let status: number | null = null;
  let tellReady: () => void = () => undefined;
  let failReady: (error: Error) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    [tellReady, failReady] = [resolve, reject];
  });
  ready.catch(() => undefined);
  const pass = (bytes: Buffer) => void (stream.destroyed || stream.write(bytes));
  return {
    stream,
    ready,
    status: () => status,
    write(chunk) {
      held = Buffer.concat([held, chunk]);
      if (!isReady) {
        if (!held.subarray(0, READY.length).equals(Buffer.from(READY))) return;
        isReady = true;
        held = held.subarray(READY.length);
        tellReady();
      }
      if (held.length <= LAST_LINE_BYTES) return;
      pass(held.subarray(0, held.length - LAST_LINE_BYTES));
      held = held.subarray(held.length - LAST_LINE_BYTES);
    },
    finish() {
      const told = isReady ? toldAtEnd(held, word) : null;
      status = told?.status ?? null;
      failReady(new Error(held.toString('utf8').trim() || 'the container ended before its gate was ready'));
      pass(held.subarray(0, told?.at ?? held.length));
      stream.end();
    },
  };
}

interface GateErrors {
  readonly stream: PassThrough;
  readonly ready: Promise<void>;
  write(chunk: Buffer): void;
  /** There will be no more. */
  finish(): void;
  status(): number | null;
}
