import type { StreamItem } from './types.ts';

/** The part of a WebSocket that is used here; Node 20 has none of its own without a flag. */
interface Socket {
  addEventListener(name: 'message', take: (event: { readonly data: unknown }) => void): void;
  addEventListener(name: 'close' | 'error', take: () => void): void;
  close(): void;
}
type SocketClass = new (url: string, options: { readonly headers: Readonly<Record<string, string>> }) => Socket;

/**
 * What a WebSocket tells, until it is closed, for whatever reason. Nothing at all where there is no WebSocket, or one that cannot
 * send a key: then the caller goes on by asking.
 */
export async function* socketItems(url: string, key: string): AsyncGenerator<StreamItem> {
  const socket = open(url, key);
  if (socket === null) return;
  const waiting: StreamItem[] = [];
  let isClosed = false;
  let wake = () => {};
  const closed = () => {
    isClosed = true;
    wake();
  };
  socket.addEventListener('message', ({ data }) => {
    const item = parse(data);
    if (item === null) return socket.close(); // not our service: what listens there is asked the other way
    waiting.push(item);
    wake();
  });
  socket.addEventListener('close', closed);
  socket.addEventListener('error', closed);
  try {
    for (;;) {
      const items = waiting.splice(0);
      yield* items;
      if (items.length > 0 || waiting.length > 0) continue;
      if (isClosed) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    socket.close();
  }
}

function open(url: string, key: string): Socket | null {
  const known = (globalThis as { readonly WebSocket?: unknown }).WebSocket as SocketClass | undefined;
  if (known === undefined) return null;
  try {
    // headers are an addition of servers' runtimes; a browser's WebSocket refuses them
    return new known(url.replace(/^http/, 'ws'), { headers: { authorization: `Bearer ${key}` } });
  } catch {
    return null;
  }
}

function parse(data: unknown): StreamItem | null {
  try {
    return JSON.parse(String(data)) as StreamItem;
  } catch {
    return null;
  }
}
