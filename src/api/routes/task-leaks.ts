import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { seedSchema } from '../../stages/instance/instance.ts';
import { retireSeed } from '../../stages/instance/instance-store.ts';
import { findTask, findTaskDigest } from '../../stages/task/task-store.ts';
import { contaminationSchema } from '../../stages/verdict/contamination.ts';
import { reportContamination } from '../../stages/verdict/report-contamination.ts';
import type { ApiParts } from '../api-parts.ts';
import { safeText } from '../safe-text.ts';

const taskName = safeText(200).describe('name or digest of a registered task');

const retiredSchema = z.object({
  task: taskName,
  seed: seedSchema.describe('known outside: it is served for evaluation only from now on'),
  reason: safeText(500),
});

const reportQuerySchema = z.object({
  task: taskName,
  canonical_seed: seedSchema.optional().describe('of its published instance; by default the task’s own word'),
});

/** What is known outside of tasks. */
export const taskLeakRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  const find = async (name: string) => findTask(parts, await findTaskDigest(parts.database, name));
  const reportSchema = contaminationSchema.extend({ task: z.string(), canonical_seed: z.string() });

  app.get(
    '/v1/task-report',
    { config: { roles: ['reviewer'] }, schema: { querystring: reportQuerySchema, response: { 200: reportSchema } } },
    async ({ query }) => ({
      ...(await reportContamination(parts.database, await find(query.task), query.canonical_seed)),
    }),
  );

  app.post(
    '/v1/retired-seeds',
    { config: { roles: ['admin'] }, schema: { body: retiredSchema, response: { 201: retiredSchema } } },
    async ({ body: { task, seed, reason } }, reply) => {
      const { name } = await find(task);
      await retireSeed(parts.database, { task: name, seed, reason });
      reply.status(201);
      return { task: name, seed, reason };
    },
  );
};
