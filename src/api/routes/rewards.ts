import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerItem } from '../answer-item.ts';
import type { ApiParts } from '../api-parts.ts';
import { phaseSchema } from '../phase.ts';
import { rewardItemSchema, withGroups } from '../reward-item.ts';
import { labelsOf, runFields } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';

const MAX_ITEMS = 1_024;
const DEFAULT_DEADLINE_MS = 60_000;
const MAX_DEADLINE_MS = 600_000;

/** Item shapes are checked one by one, so that one bad item never fails the batch. */
const requestSchema = z.object({
  request_id: safeText(200).optional().describe('the same id joins the running work'),
  phase: phaseSchema,
  run_id: runFields.run_id,
  step: runFields.step,
  policy_version: runFields.policy_version,
  deadline_ms: z.number().min(0).max(MAX_DEADLINE_MS).default(DEFAULT_DEADLINE_MS),
  items: z.array(z.unknown()).max(MAX_ITEMS),
});

/** Rewards for a batch: same length, same order, same keys for every item; always an answer before the deadline. */
export const rewardRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.post(
    '/v1/rewards',
    {
      config: { roles: ['trainer', 'harness'] },
      schema: { body: requestSchema, response: { 200: z.object({ items: z.array(rewardItemSchema) }) } },
    },
    async (request) => {
      const { items, request_id: requestId, deadline_ms: deadlineMs, ...fields } = request.body;
      const startedMs = performance.now();
      const labels = labelsOf(fields, fields.phase);
      const batch = { requestId, keyId: request.caller?.keyId, deadlineMs: startedMs + deadlineMs, startedMs, labels };
      const answered = await Promise.all(items.map((item) => answerItem(parts, item, batch)));
      return { items: [...withGroups(answered)] };
    },
  );
};
