import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import type { ApiParts } from '../api-parts.ts';

/** Is it alive, can it grade, and numbers. */
export const healthRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.get('/healthz', { schema: { response: { 200: z.object({ status: z.literal('ok') }) } } }, async () => ({
    status: 'ok' as const,
  }));

  app.get('/readyz', { schema: { response: { 200: z.object({ status: z.literal('ready') }) } } }, async () => {
    const reasons = await parts.notReady();
    if (reasons.length > 0) throw new ProctorError('sandbox-failed', `not ready: ${reasons.join('; ')}`, { reasons });
    return { status: 'ready' as const };
  });

  const config = parts.metricsOpen ? {} : { roles: ['reviewer'] as const };
  app.get('/metrics', { config, schema: { hide: true } }, async (_request, reply) => {
    reply.header('content-type', parts.metrics.registry.contentType);
    return parts.metrics.registry.metrics();
  });
};
