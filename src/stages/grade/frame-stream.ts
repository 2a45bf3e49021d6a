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
  sendBytes(body: Uint8Array): void;
  /** The next frame's body, of at most `maxBytes`; rejects with {@link StreamLost}. One reader at a time. */
  next(timeoutMs: number, maxBytes?: number): Promise<Buffer>;
}

export function openFrameStream(input: Readable, output: Writable, maxFrameBytes: number): FrameStream {
  const frames = bufferFrames(input, maxFrameBytes);
  const sendBytes = (body: Uint8Array) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    output.write(head);
    output.write(body);
  };
  return {
    send: (value) => sendBytes(Buffer.from(JSON.stringify(value))),
    sendBytes,
    async next(timeoutMs, maxBytes = maxFrameBytes) {
      const deadline = performance.now() + timeoutMs;
      for (let late = false; ; ) {
        const frame = frames.take(maxBytes);
        if (frame !== null) return frame;
        if (frames.ended()) throw new StreamLost('closed');
        if (late) throw new StreamLost('late');
        await frames.change(deadline - performance.now());
        late = performance.now() >= deadline;
        // a timer may be served before input that arrived in time, when this process was busy
        if (late) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

interface FrameBuffer {
  /** A whole frame out of what has arrived, or null; throws {@link StreamLost} for a frame out of bounds, each time. */
  take(maxBytes: number): Buffer | null;
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
    take(maxBytes) {
      if (buffered < wanted) return null; // joining at every chunk would cost the square of a frame's size
      arrived = Buffer.concat([arrived, ...chunks.splice(0)]);
      const length = arrived.readUInt32BE(0);
      if (length > maxBytes) throw new StreamLost('too-large');
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
        const timer = setTimeout(resolve, Math.max(0, timeoutMs));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
