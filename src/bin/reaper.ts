import { setTimeout as pause } from 'node:timers/promises';
import { createMetrics } from '../api/metrics.ts';
import type { Config } from '../config.ts';
import { asProctorError } from '../platform/base/errors.ts';
import { createLog } from '../platform/base/log.ts';
import { meteredDriver } from '../platform/sandbox/metered-driver.ts';
import type { Reaped } from '../platform/sandbox/sandbox.ts';
import { showMetrics } from './gauges.ts';
import { openDriver, refuseUnusable } from './open-driver.ts';

/** Clears this machine of what dead processes left and of what runs past its deadline, once or until SIGINT or SIGTERM. `ready` is called before it looks for the first time. */
export async function runReaper(
  config: Config,
  { everyMs, ready, tell }: { everyMs: number | null; ready: () => void; tell: (reaped: Reaped) => void },
): Promise<void> {
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const driver = meteredDriver(openDriver({ ...config, warmSandboxes: 0 }).driver, metrics.sandboxes);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let hideMetrics: () => Promise<void> = async () => undefined;
  try {
    await refuseUnusable(driver);
    hideMetrics = await showMetrics(config, metrics);
    ready();
    do {
      await driver.reap().then(tell, (thrown) => {
        if (everyMs === null) throw thrown;
        log.error({ err: asProctorError(thrown) }, 'clearing away failed; it is tried again');
      });
    } while (everyMs !== null && (await waited(everyMs, stopping.signal)));
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await hideMetrics();
    await driver.close();
  }
}

/** False when it was told to stop meanwhile. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(ms, true, { signal }).catch(() => false);
}
