import type { Readable, Writable } from 'node:stream';

/** The other side closed the stream, sent a frame out of bounds, or did not answer in time. */
export class StreamLost extends Error {
  readonly why: 'closed' | 'too-large' | 'late';

  constructor(why: StreamLost['why']) {
    super(`stream ${why}`);
    this.why = why;
  }
}

/** Frames of four length bytes (big-endian) and a body, over a pair of pipes; see graders/wire/frames.py. */
export interface FrameStream {
  send(value: unknown): void;
  /** The next frame's body; rejects with {@link StreamLost}. One reader at a time. */
  next(timeoutMs: number): Promise<Buffer>;
}

export function openFrameStream(input: Readable, output: Writable, maxFrameBytes: number): FrameStream {
  const frames = bufferFrames(input, maxFrameBytes);
  return {
    send(value) {
      const body = Buffer.from(JSON.stringify(value));
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length);
      output.write(Buffer.concat([head, body]));
    },
    async next(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const frame = frames.take();
        if (frame !== null) return frame;
        if (frames.ended()) throw new StreamLost('closed');
        const leftMs = deadline - performance.now();
        if (leftMs <= 0) throw new StreamLost('late');
        await frames.change(leftMs);
      }
    },
  };
}

interface FrameBuffer {
  /** A whole frame out of what has arrived, or null; throws {@link StreamLost} for a frame out of bounds, each time. */
  take(): Buffer | null;
  ended(): boolean;
  /** Resolves when something arrives, the stream ends, or the time is over. */
  change(timeoutMs: number): Promise<void>;
}

/** Gathers chunks; stops reading while a whole frame of the largest size waits. */
function bufferFrames(input: Readable, maxFrameBytes: number): FrameBuffer {
  let arrived = Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let buffered = 0;
  let wanted = 4;
  let over = false;
  let wake: () => void = () => undefined;
  const end = () => {
    over = true;
    wake();
  };
  input.on('end', end).on('close', end).on('error', end);
  input.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    buffered += chunk.length;
    if (buffered > 4 + maxFrameBytes) input.pause();
    wake();
  });
  return {
    take() {
      if (buffered < wanted) return null; // joining at every chunk would cost the square of a frame's size
      arrived = Buffer.concat([arrived, ...chunks.splice(0)]);
      const length = arrived.readUInt32BE(0);
      if (length > maxFrameBytes) throw new StreamLost('too-large');
      wanted = 4 + length;
      if (buffered < wanted) return null;
      const frame = arrived.subarray(4, 4 + length);
      arrived = arrived.subarray(4 + length);
      buffered = arrived.length;
      wanted = 4;
      input.resume();
      return frame;
    },
    ended: () => over,
    change: (timeoutMs) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
