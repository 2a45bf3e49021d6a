import type { ProctorError } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';

/** How long after a trial that failed the next one comes. */
const AGAIN_MS = 1_000;

/** Whether this machine makes sandboxes just now. */
export interface NodeHealth {
  isWell(): boolean;
  /** Told of every step that failed: a machine whose sandboxes fail takes no work until a trial shows that they do not. */
  doubt(error: ProctorError): void;
  stop(): void;
}

/**
 * A machine that fails does so quickly, and would be given all work and fail it: it is taken out until `tryNode` resolves. What it
 * leaves stays due and is another's.
 */
export function createNodeHealth(parts: {
  tryNode: () => Promise<void>;
  log: Log;
  /** Told when that changes. */
  tell: (isWell: boolean) => void;
}): NodeHealth {
  const { tryNode, log, tell } = parts;
  let isWell = true;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const look = async () => {
    try {
      await tryNode();
      isWell = true;
      tell(true);
    } catch (thrown) {
      if (isStopped) return;
      log.error({ err: thrown }, 'sandboxes fail on this machine: it takes no work until they do not');
      timer = setTimeout(() => void look(), AGAIN_MS).unref();
    }
  };
  return {
    isWell: () => isWell,
    doubt({ code }) {
      if (!isWell || code !== 'sandbox-failed') return;
      isWell = false;
      tell(false);
      void look();
    },
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
