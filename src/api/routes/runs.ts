import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { saveAudit } from '../../stages/review/audit-store.ts';
import { queueRunEvent } from '../../stages/reward/webhook-store.ts';
import { RUN_STATES, type RunRow } from '../../stages/run/run.ts';
import { countRecent, countRun, listRunAlarms } from '../../stages/run/run-facts-store.ts';
import { findRun, listRuns, setRunState } from '../../stages/run/run-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { reviewerOf } from '../reviewer.ts';
import { safeText } from '../safe-text.ts';

const READERS = { roles: ['trainer', 'harness', 'reviewer'] } as const;
const byId = z.object({ id: safeText(200) });

const runSchema = z.object({
  run_id: z.string(),
  state: z.enum(RUN_STATES),
  reason: z.string().nullable().describe('why it is not active'),
  created_at: z.string(),
  changed_at: z.string(),
});
const describedSchema = runSchema.extend({
  submissions: z.object({
    total: z.int(),
    ...{ waiting: z.int(), scored: z.int(), quarantined: z.int(), unscored: z.int() },
    dropped: z.int().describe('not begun, since the run was cancelled'),
  }),
  masked: z.int(),
  masked_share: z.number().describe('of all rewards'),
  recent: z.object({ rewarded: z.int(), masked: z.int(), masked_share: z.number() }),
  alarms: z.array(z.object({ kind: z.string(), detail: z.record(z.string(), z.unknown()), at: z.string() })),
});

/** What is asked for, and what the run is after it. */
const CHANGES = { cancel: 'cancelled', pause: 'paused', resume: 'active' } as const satisfies Record<
  string,
  RunRow['state']
>;

/** Training and evaluation runs: how they stand, and what stops them. */
export const runRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  app.get(
    '/v1/runs',
    {
      config: READERS,
      schema: {
        querystring: z.object({
          state: z.enum(RUN_STATES).optional(),
          limit: z.coerce.number().int().min(1).max(1_000).default(100),
        }),
        response: { 200: z.object({ runs: z.array(runSchema) }) },
      },
    },
    async ({ query: { state = null, limit } }) => ({ runs: (await listRuns(database, { state, limit })).map(shown) }),
  );

  app.get(
    '/v1/runs/:id',
    { config: READERS, schema: { params: byId, response: { 200: describedSchema } } },
    async ({ params }) => {
      const run = await findRun(database, params.id);
      const { handedIn, masked, ...counts } = await countRun(database, run.id);
      const recent = await countRecent(database, run.id);
      const alarms = await listRunAlarms(database, run.id);
      return {
        ...shown(run),
        submissions: { total: handedIn, ...counts },
        masked,
        masked_share: share(masked, counts.scored + counts.quarantined + counts.unscored),
        recent: { ...recent, masked_share: share(recent.masked, recent.rewarded) },
        alarms: alarms.map(({ kind, body, createdAt }) => ({ kind, detail: body, at: createdAt.toISOString() })),
      };
    },
  );

  changeRoute(app, database);
};

const changeRoute = (app: Parameters<FastifyPluginAsyncZod<ApiParts>>[0], database: ApiParts['database']): void => {
  app.post(
    '/v1/runs/:id/:change',
    {
      config: { roles: ['trainer'] },
      schema: {
        description:
          'cancel: nothing of it is begun any more, for good; pause: its rewards are kept back; resume: they are given out again.',
        params: byId.extend({ change: z.enum(['cancel', 'pause', 'resume']) }),
        body: z.object({ reason: safeText(500).optional() }).nullish(),
        response: { 200: runSchema },
      },
    },
    async (request) => {
      const { id, change } = request.params;
      const state = CHANGES[change];
      const reason = state === 'active' ? null : (request.body?.reason ?? null);
      await database.transaction(async (transaction) => {
        const changed = await setRunState(transaction, id, { state, reason });
        if (!changed) return;
        const who = reviewerOf(request);
        await saveAudit(transaction, { who, action: `run-${state}`, subject: id, detail: { reason } });
        if (state === 'paused') await queueRunEvent(transaction, { type: 'run.paused', run: id, data: { reason } });
      });
      return shown(await findRun(database, id));
    },
  );
};

function shown({ id, state, reason, createdAt, changedAt }: RunRow): z.infer<typeof runSchema> {
  return { run_id: id, state, reason, created_at: createdAt.toISOString(), changed_at: changedAt.toISOString() };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
