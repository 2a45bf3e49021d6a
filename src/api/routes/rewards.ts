import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerItem } from '../answer-item.ts';
import type { ApiParts } from '../api-parts.ts';
import { storedSiblings, withFallback } from '../reward-groups.ts';
import { rewardItemSchema, withGroups } from '../reward-item.ts';
import { rewardRequestSchema } from '../reward-request.ts';
import { labelsOf } from '../run-labels.ts';

/** Rewards for a batch: same length, same order, same keys for every item; always an answer before the deadline. */
export const rewardRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.post(
    '/v1/rewards',
    {
      config: { roles: ['trainer', 'harness'] },
      schema: { body: rewardRequestSchema, response: { 200: z.object({ items: z.array(rewardItemSchema) }) } },
    },
    async (request) => {
      const { items, request_id: requestId, deadline_ms: deadlineMs, fallback, ...fields } = request.body;
      const startedMs = performance.now();
      const labels = labelsOf(fields, fields.phase);
      const call = { requestId, keyId: request.caller?.keyId, deadlineMs: startedMs + deadlineMs, startedMs, labels };
      const answered = await Promise.all(items.map((item, place) => answerItem(parts, item, { ...call, place })));
      const stored = await storedSiblings(parts, labels.run, answered);
      return { items: withGroups(answered, stored).map((item) => withFallback(item, fallback)) };
    },
  );
};
