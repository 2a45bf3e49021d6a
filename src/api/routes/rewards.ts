import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { listRequested } from '../../stages/reward/reward-item-store.ts';
import { findRunPlace, refuseCancelled } from '../../stages/run/run-store.ts';
import { answerItem, collectItem } from '../answer-item.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Caller } from '../keys.ts';
import { detailFor, withDetail } from '../reward-detail.ts';
import { storedSiblings, withFallback } from '../reward-groups.ts';
import { rewardItemSchema, withGroups } from '../reward-item.ts';
import { MAX_ITEMS, MAX_WAIT_MS, rewardRequestSchema } from '../reward-request.ts';
import { labelsOf } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';
import { streamRewards } from '../stream-rewards.ts';

const config = { roles: ['trainer', 'harness'] } as const;
const answerSchema = z.object({ items: z.array(rewardItemSchema) });
const waitSchema = z.coerce
  .number()
  .min(0)
  .max(MAX_WAIT_MS)
  .default(0)
  .describe('how long to wait for what is pending');
const NDJSON = 'application/x-ndjson';

/** Rewards for a batch: same length, same order, same keys for every item; always an answer before the deadline. */
export const rewardRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.post(
    '/v1/rewards',
    {
      config,
      schema: {
        description: `With Accept: ${NDJSON} one line for each item as it is settled, and a last line with a summary.`,
        body: rewardRequestSchema,
        response: { 200: answerSchema },
      },
    },
    async (request, reply) => {
      const { items, request_id: requestId, deadline_ms: deadlineMs, fallback, ...fields } = request.body;
      const startedMs = performance.now();
      const labels = labelsOf(fields, fields.phase);
      await refuseCancelled(parts.database, labels);
      const whose = { keyId: request.caller?.keyId, detail: detailFor(request.caller, parts.trainerDetail) };
      const call = { requestId, ...whose, deadlineMs: startedMs + deadlineMs, startedMs, labels };
      if (request.headers.accept?.split(/[,;]/, 1)[0]?.trim() === NDJSON) {
        const stream = streamRewards(parts, { items, fallback }, call);
        return reply.type(NDJSON).send(stream as never); // a stream passes by the schema
      }
      const answered = await Promise.all(items.map((item, place) => answerItem(parts, item, { ...call, place })));
      const stored = await storedSiblings(parts, labels.run, answered);
      return { items: withGroups(answered, stored).map((item) => withFallback(item, fallback)) };
    },
  );

  collectRoutes(app, parts);
};

const collectRoutes: (...given: Parameters<FastifyPluginAsyncZod<ApiParts>>) => void = (app, parts) => {
  app.get(
    '/v1/rewards/:submission_id',
    {
      config,
      schema: {
        params: z.object({ submission_id: safeText(100) }),
        querystring: z.object({ wait_ms: waitSchema }),
        response: { 200: rewardItemSchema },
      },
    },
    async ({ params, query, caller }) => {
      const { submission_id: artifactId } = params;
      const [item] = await collect(parts, [{ id: artifactId, artifactId }], { waitMs: query.wait_ms, caller });
      return item as z.infer<typeof rewardItemSchema>;
    },
  );

  app.get(
    '/v1/rewards',
    {
      config,
      schema: {
        description: 'What this key handed in under a request id, in the order of the request.',
        querystring: z.object({ request_id: safeText(200), wait_ms: waitSchema }),
        response: { 200: answerSchema },
      },
    },
    async ({ query, caller }) => {
      const asked = { keyId: caller?.keyId ?? '', requestId: query.request_id, limit: MAX_ITEMS };
      const known = await listRequested(parts.database, asked);
      const items = known.map(({ itemId, artifactId }) => ({ id: itemId, artifactId }));
      return { items: await collect(parts, items, { waitMs: query.wait_ms, caller }) };
    },
  );
};

/** The rewards of hand-ins that are stored, each with its group; `not-found`. */
async function collect(
  parts: ApiParts,
  items: readonly { readonly id: string; readonly artifactId: string }[],
  { waitMs, caller }: { readonly waitMs: number; readonly caller: Caller | null },
): Promise<z.infer<typeof rewardItemSchema>[]> {
  const startedMs = performance.now();
  const detail = detailFor(caller, parts.trainerDetail);
  const collectOne = async (item: (typeof items)[number]) => {
    const { run, group: groupId } = await findRunPlace(parts.database, item.artifactId);
    const facts = withDetail(await collectItem(parts, item, { deadlineMs: startedMs + waitMs }), detail);
    return { run, item: { ...facts, groupId, latency_ms: Math.round(performance.now() - startedMs) } };
  };
  const collected = await Promise.all(items.map(collectOne));
  // the siblings of a run are read once for each of its groups, however many of them are asked for
  const found = new Map<number, z.infer<typeof rewardItemSchema>>();
  for (const run of new Set(collected.map((each) => each.run))) {
    const places = [...collected.keys()].filter((place) => collected[place]?.run === run);
    const own = places.flatMap((place) => collected[place]?.item ?? []);
    const whole = withGroups(own, await storedSiblings(parts, run, own));
    for (const [index, place] of places.entries()) found.set(place, whole[index] as (typeof whole)[number]);
  }
  return items.map((_item, place) => found.get(place) as z.infer<typeof rewardItemSchema>);
}
