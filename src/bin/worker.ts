import { once } from 'node:events';
import { createMetrics } from '../api/metrics.ts';
import type { Config } from '../config.ts';
import { ProctorError } from '../platform/base/errors.ts';
import { createLog } from '../platform/base/log.ts';
import { showMetrics } from './gauges.ts';
import { refuseUnusable } from './open-driver.ts';
import { openService } from './open-service.ts';

/** Grades what is due until SIGINT or SIGTERM, then finishes what runs. `ready` is called once it takes work. */
export async function runWorker(config: Config, ready: (id: string) => void): Promise<void> {
  needsServer(config, 'worker');
  const log = createLog(config.logLevel);
  const metrics = createMetrics();
  const service = await openService(config, log, {
    ...{ observe: metrics.countStep, meter: metrics.sandboxes, alarm: metrics.countRunAlarm },
    alarmed: () => metrics.countRunAlarm({ what: 'masked-share', paused: false }),
  });
  let hideMetrics: () => Promise<void> = async () => undefined;
  try {
    await refuseUnusable(service.parts.driver);
    hideMetrics = await showMetrics(config, metrics, service);
    ready(service.parts.sealer.service.worker);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    log.info('stopping: running grades are finished first');
  } finally {
    await service.close();
    await hideMetrics(); // last: while running grades are finished it is still looked at
  }
}

/** Several processes share one database: the embedded one serves a single process. */
export function needsServer({ database }: Config, command: string): void {
  if ('url' in database) return;
  throw new ProctorError('invalid-config', `proctor ${command} needs PostgreSQL: set PROCTOR_DATABASE_URL`);
}
