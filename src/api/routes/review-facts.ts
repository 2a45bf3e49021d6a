import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AUDIT_ACTIONS, listAudit } from '../../stages/review/audit-store.ts';
import { dashboardFacts } from '../../stages/review/dashboard-store.ts';
import { MAX_DASHBOARD_DAYS } from '../../stages/review/review.ts';
import type { ApiParts } from '../api-parts.ts';
import { safeText } from '../safe-text.ts';

const MAX_LINES = 200;
const limit = z.coerce.number().int().min(1).max(MAX_LINES).default(50);

const share = z.number();
const dashboardSchema = z.object({
  queue: z.object({ open: z.int(), oldestHours: z.number(), medianHours: z.number() }),
  days: z.array(
    z.object({ day: z.string(), rewards: z.int(), flaggedShare: share, maskedShare: share, meanWeight: share }),
  ),
  rules: z.array(
    z.object({ rule: z.string(), cheats: z.int(), of: z.int(), precision: share.nullable(), low: share, high: share }),
  ),
  techniques: z.array(z.object({ technique: z.string(), cheats: z.int() })),
  tasks: z.array(z.object({ task: z.string(), cheats: z.int(), honest: z.int(), defects: z.int(), faults: z.int() })),
});

const auditSchema = z.object({
  lines: z.array(
    z.object({
      seq: z.int(),
      at: z.string(),
      who: z.string(),
      action: z.enum(AUDIT_ACTIONS),
      subject: z.string(),
      detail: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** What came of reviews, and who did what; for reviewers. */
export const reviewFactRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  const config = { roles: ['reviewer'] as const };

  app.get(
    '/v1/reviews/dashboard',
    {
      config,
      schema: {
        querystring: z.object({
          run: safeText(200).optional(),
          task: safeText(200).optional(),
          days: z.coerce.number().int().min(1).max(MAX_DASHBOARD_DAYS).default(30),
        }),
        response: { 200: dashboardSchema },
      },
    },
    async ({ query }) => {
      const { queue, days, rules, techniques, tasks } = await dashboardFacts(database, query);
      return { queue, days: [...days], rules: [...rules], techniques: [...techniques], tasks: [...tasks] };
    },
  );

  app.get(
    '/v1/audit-log',
    {
      config,
      schema: {
        querystring: z.object({
          subject: safeText(100).optional(),
          before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional().describe('`seq` of a line'),
          limit,
        }),
        response: { 200: auditSchema },
      },
    },
    async ({ query }) => {
      const lines = await listAudit(database, query);
      return { lines: lines.map((line) => ({ ...line, at: line.at.toISOString() })) };
    },
  );
};
