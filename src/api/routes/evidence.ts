import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { evidenceRecordSchema } from '../../stages/evidence/evidence.ts';
import { findEvidence } from '../../stages/evidence/evidence-store.ts';
import type { RegradeReport } from '../../stages/verdict/regrade-report.ts';
import { OUTCOMES } from '../../stages/verdict/verdict.ts';
import type { ApiParts } from '../api-parts.ts';
import { refuseBrief } from '../reward-detail.ts';
import { safeText } from '../safe-text.ts';

const valueSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const rulingSchema = z.object({
  outcome: z.enum(OUTCOMES),
  score: z.number(),
  digests: z.object({
    verdict: z.string(),
    grade: z.string(),
    artifact: z.string(),
    task: z.string().nullable(),
    instance: z.string().nullable(),
    snapshot: z.string().nullable(),
    grader: z.string().nullable(),
  }),
});

const regradeSchema = z.object({
  verdict_id: z.string(),
  same: z.boolean().describe('everything is the same, apart from times and ids'),
  differences: z
    .array(z.object({ field: z.string(), first: valueSchema, again: valueSchema }))
    .describe(
      'by dotted path; `inputs.…` when the grader or the snapshot is another one; cases one by one for reviewers only',
    ),
  first: rulingSchema,
  again: rulingSchema,
});

const params = z.object({ id: safeText(100) });

/** What proves a verdict: its signed record, and grading the same again. */
export const evidenceRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database, regrade, trainerDetail }) => {
  app.get(
    '/v1/verdicts/:id/evidence',
    {
      config: { roles: ['trainer', 'harness', 'reviewer'] },
      schema: { params, response: { 200: evidenceRecordSchema } },
    },
    async (request) => {
      refuseBrief(request.caller, trainerDetail);
      return findEvidence(database, request.params.id);
    },
  );

  app.post(
    '/v1/verdicts/:id/regrade',
    {
      config: { roles: ['harness', 'reviewer'] },
      schema: {
        params,
        description: 'Grades the stored hand-in again and answers when that is done. Nothing is stored.',
        response: { 200: regradeSchema },
      },
    },
    async (request) => {
      const { verdictId, differences, ...report } = await regrade(request.params.id);
      const maySeeCases = request.caller?.role === 'reviewer' || request.caller?.role === 'admin';
      return {
        verdict_id: verdictId,
        ...report,
        differences: maySeeCases ? [...differences] : [...withoutCases(differences)],
      };
    },
  );
};

/** Results by case may tell an agent what to change: it is only told that they differ. */
function withoutCases(differences: RegradeReport['differences']): RegradeReport['differences'] {
  const others = differences.filter(({ field }) => !field.startsWith('cases.'));
  return others.length === differences.length ? others : [...others, { field: 'cases', first: null, again: null }];
}
