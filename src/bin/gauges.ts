import type { Metrics } from '../api/metrics.ts';
import { buildProbeApp } from '../api/probe-app.ts';
import type { Config } from '../config.ts';
import { describeWork } from '../pipeline/work-store.ts';
import { errnoOf, ProctorError } from '../platform/base/errors.ts';
import type { Service } from './open-service.ts';

const EVERY_MS = 1_000;

/** Reads from time to time what no event tells; gives the function that stops it. What does not answer leaves its gauge as it was. */
export function keepGauges({ parts, sessions }: Service, metrics: Metrics): () => void {
  const unknown = () => undefined;
  const timer = setInterval(() => {
    if (sessions !== null) metrics.setSessions(sessions.count());
    void parts.queue.depth().then(metrics.setQueue, unknown);
    void describeWork(parts.database).then(metrics.setWork, unknown);
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** Shows a process's metrics on PROCTOR_METRICS_PORT, if there is one, and keeps the gauges of its service meanwhile; gives the function that stops it. */
export async function showMetrics(
  { host, metricsPort }: Config,
  metrics: Metrics,
  service?: Service,
): Promise<() => Promise<void>> {
  if (metricsPort === null) return async () => undefined;
  const app = buildProbeApp(metrics);
  await app.listen({ host, port: metricsPort }).catch(explainListen(host, { PROCTOR_METRICS_PORT: metricsPort }));
  const stopGauges = service === undefined ? () => undefined : keepGauges(service, metrics);
  return async () => {
    stopGauges();
    await app.close();
  };
}

/** A port that is in use, or an address that is not ours, is a mistake in the settings. */
export function explainListen(host: string, setting: Readonly<Record<string, number>>) {
  const [name, port] = Object.entries(setting)[0] as [string, number];
  return (thrown: unknown): never => {
    if (!['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'].includes(errnoOf(thrown) ?? '')) throw thrown;
    throw new ProctorError(
      'invalid-config',
      `cannot listen on ${host}:${port} (${errnoOf(thrown)}); set PROCTOR_HOST or ${name}`,
    );
  };
}
