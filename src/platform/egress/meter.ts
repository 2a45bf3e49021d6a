import type { Socket } from 'node:net';
import type { Errand } from './upstream.ts';

/** Watches one connection to an upstream: whether it is idle, and how many bytes it has carried. */
export interface Meter {
  /** To be called with the bytes that are about to go up, before they do. */
  up(bytes: number): void;
  /** To be called when bytes came down. */
  down(): void;
  stop(): void;
}

/** Starts to watch; both connections are cut when nothing moves for too long or a byte limit is met. */
export function startMeter({ settings, attempt, client }: Errand, upstream: Socket): Meter {
  const { idleMs, bytesUp, bytesDown } = settings.limits;
  const cut = () => {
    client.destroy();
    upstream.destroy();
  };
  const idle = setTimeout(cut, idleMs);
  const moved = (upcoming: number) => {
    idle.refresh();
    if (upstream.bytesWritten + upcoming <= bytesUp && upstream.bytesRead <= bytesDown) return;
    attempt.refused('too-many-bytes');
    cut();
  };
  return { up: moved, down: () => moved(0), stop: () => clearTimeout(idle) };
}
