import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { MAX_NOTE_LENGTH, rulingRequestSchema } from '../../stages/review/review.ts';
import { claimCase, findCase, releaseCase } from '../../stages/review/review-store.ts';
import type { Ruled } from '../../stages/review/ruled.ts';
import type { ApiParts } from '../api-parts.ts';
import { reviewerOf } from '../reviewer.ts';
import { safeText } from '../safe-text.ts';
import { amendedSchema, reviewSchema, rulingSchema, showAmended, showReview, showRuling } from '../show-review.ts';

const params = z.object({ id: safeText(100) });
const oneReview = z.object({ review: reviewSchema });
const idempotencyKey = safeText(200).optional().describe('the same ruling sent again with it is one ruling');

const ruledSchema = z.object({
  review: reviewSchema,
  ruling: rulingSchema,
  amended: amendedSchema.nullable().describe('the verdict and reward that stand now; null where nothing changed'),
});

const groupReportSchema = z.object({
  reports: z.array(
    z.object({
      review_id: z.string(),
      amended: amendedSchema.nullable(),
      problem: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
});

const config = { roles: ['reviewer'] as const };

/** Taking a case and letting it go; for reviewers. */
export const reviewClaimRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  app.post('/v1/reviews/:id/claim', { config, schema: { params, response: { 200: oneReview } } }, async (request) => {
    const who = reviewerOf(request);
    return { review: showReview(await claimCase(database, request.params.id, who)) };
  });

  app.post('/v1/reviews/:id/release', { config, schema: { params, response: { 200: oneReview } } }, async (request) => {
    const [id, who] = [request.params.id, reviewerOf(request)];
    await releaseCase(database, id, who);
    return { review: showReview(await findCase(database, id)) };
  });
};

/** Ruling on one case and taking it back; for reviewers. */
export const rulingRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { reviews }) => {
  app.post(
    '/v1/reviews/:id/ruling',
    {
      config,
      schema: {
        params,
        body: z.intersection(rulingRequestSchema, z.object({ idempotency_key: idempotencyKey })),
        response: { 200: ruledSchema },
      },
    },
    async (request) => {
      const { idempotency_key: key, ...said } = request.body;
      const own = { caseId: request.params.id, reviewer: reviewerOf(request), idempotencyKey: key };
      return showRuled(await reviews.rule({ ...said, ...own }));
    },
  );

  app.post(
    '/v1/reviews/:id/undo',
    {
      config,
      schema: {
        params,
        body: z.object({ note: z.string().max(MAX_NOTE_LENGTH).default('') }).default({ note: '' }),
        response: { 200: ruledSchema },
      },
    },
    async (request) => {
      const own = { caseId: request.params.id, reviewer: reviewerOf(request), note: request.body.note };
      return showRuled(await reviews.undo(own));
    },
  );
};

/** Ruling on all that are alike, and how others object to a verdict. */
export const groupAndAppealRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { reviews }) => {
  app.post(
    '/v1/reviews/group-ruling',
    {
      config,
      schema: {
        body: z.intersection(rulingRequestSchema, z.object({ group: safeText(300) })),
        response: { 200: groupReportSchema },
      },
    },
    async (request) => {
      const reports = await reviews.ruleGroup({ ...request.body, reviewer: reviewerOf(request) });
      return {
        reports: reports.map(({ caseId, amended, problem }) => ({
          ...{ review_id: caseId, amended: showAmended(amended), problem },
        })),
      };
    },
  );

  app.post(
    '/v1/verdicts/:id/appeal',
    {
      config: { roles: ['harness', 'trainer', 'reviewer'] },
      schema: {
        params,
        body: z.object({ why: safeText(MAX_NOTE_LENGTH) }),
        response: { 201: z.object({ review_id: z.string() }) },
      },
    },
    async (request, reply) => {
      const { id } = await reviews.appeal({
        ...{ verdictId: request.params.id, why: request.body.why, who: reviewerOf(request) },
      });
      reply.status(201);
      return { review_id: id };
    },
  );
};

function showRuled({ case: found, ruling, amended }: Ruled): z.infer<typeof ruledSchema> {
  return { review: showReview(found), ruling: showRuling(ruling), amended: showAmended(amended) };
}
