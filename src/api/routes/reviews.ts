import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { countOpened, noteOpened } from '../../stages/review/audit-store.ts';
import { listQueue } from '../../stages/review/queue-store.ts';
import { CAUSES, RULINGS } from '../../stages/review/review.ts';
import { countQueue, findCase, renewClaim } from '../../stages/review/review-store.ts';
import { neededOpened } from '../../stages/review/ruled.ts';
import { findRulings } from '../../stages/review/ruling-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { reviewerOf } from '../reviewer.ts';
import { safeText } from '../safe-text.ts';
import { reviewSchema, rulingSchema, showReview, showRuling } from '../show-review.ts';

const MAX_PAGE = 200;
const limit = z.coerce.number().int().min(1).max(MAX_PAGE).default(50);

const queueQuerySchema = z.object({
  run: safeText(200).optional(),
  task: safeText(200).optional(),
  cause: z.enum(CAUSES).optional(),
  ruling: z
    .enum(RULINGS)
    .optional()
    .describe('cases, open or closed, with this standing ruling; without it: open ones'),
  group: safeText(300).optional(),
  mine: z.enum(['true', 'false']).optional().describe('true: only what you have claimed'),
  after: safeText(100).optional().describe('`next` of the page before'),
  limit,
});

const queueSchema = z.object({
  counts: z.object({ open: z.int(), second_opinion: z.int(), claimed: z.int() }),
  reviews: z.array(reviewSchema),
  next: z.string().nullable(),
});

const caseSchema = z.object({
  review: reviewSchema,
  rulings: z.array(rulingSchema),
  group: z.object({
    opened: z.int().describe('cases of the group that you have opened lately'),
    needed: z.int().describe('so many must be opened before the group can be ruled on as a whole'),
  }),
});

/** The queue of cases, and one case; for reviewers. */
export const reviewRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  const config = { roles: ['reviewer'] as const };

  app.get(
    '/v1/reviews',
    { config, schema: { querystring: queueQuerySchema, response: { 200: queueSchema } } },
    async (request) => {
      const { mine, ...filter } = request.query;
      const own = mine === 'true' ? { mine: reviewerOf(request) } : {};
      const { cases, next } = await listQueue(database, { ...filter, ...own });
      const { secondOpinion, ...counts } = await countQueue(database);
      return { counts: { ...counts, second_opinion: secondOpinion }, reviews: cases.map(showReview), next };
    },
  );

  app.get(
    '/v1/reviews/:id',
    { config, schema: { params: z.object({ id: safeText(100) }), response: { 200: caseSchema } } },
    async (request) => {
      const [id, who] = [request.params.id, reviewerOf(request)];
      await findCase(database, id); // before it is noted that it was opened
      await noteOpened(database, id, who);
      await renewClaim(database, id, who);
      const [found, rulings] = [await findCase(database, id), await findRulings(database, id)];
      const opened = await countOpened(database, found.group, who);
      return {
        review: showReview(found),
        rulings: rulings.map(showRuling),
        group: { opened, needed: neededOpened(found.waiting) },
      };
    },
  );
};
