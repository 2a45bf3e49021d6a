import Fastify from 'fastify';
import type { Metrics } from './metrics.ts';

/** What a process without an API shows to its orchestrator and to Prometheus: whether it is alive, and its numbers. */
export function buildProbeApp({ registry }: Metrics) {
  const app = Fastify();
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', registry.contentType);
    return registry.metrics();
  });
  return app;
}
