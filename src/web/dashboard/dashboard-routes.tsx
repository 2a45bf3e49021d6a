import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { BREAKDOWNS, listBreakdown } from '../../stages/review/breakdown-store.ts';
import { dashboardFacts } from '../../stages/review/dashboard-store.ts';
import { MAX_DASHBOARD_DAYS } from '../../stages/review/review.ts';
import { readFields } from '../form.ts';
import { sendPage, visitOf } from '../render.ts';
import type { WebParts } from '../web-parts.ts';
import { DashboardPage } from './dashboard-page.tsx';

const name = z
  .string()
  .max(200)
  .transform((given) => (given === '' ? undefined : given))
  .optional();
const dashboardQuery = z.object({
  run: name,
  task: name,
  days: z.coerce.number().int().min(1).max(MAX_DASHBOARD_DAYS).default(30).catch(30),
  by: z.enum(BREAKDOWNS).default('rule').catch('rule'),
});

/** The dashboard. */
export function dashboardRoutes(app: FastifyInstance, { database }: WebParts): void {
  app.get('/dashboard', async (request, reply) => {
    const filter = readFields(dashboardQuery, request.query);
    const facts = await dashboardFacts(database, filter);
    const cells = await listBreakdown(database, filter.by, filter);
    return sendPage(reply, <DashboardPage visit={visitOf(request)} {...{ facts, filter, cells }} />);
  });
}
