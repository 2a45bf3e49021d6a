import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findGrade } from '../../stages/grade/grade-store.ts';
import { findDecision } from '../../stages/policy/decision-store.ts';
import { findScreening } from '../../stages/signal/screening-store.ts';
import { findVerdict } from '../../stages/verdict/verdict-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { refuseBrief } from '../reward-detail.ts';
import { safeText } from '../safe-text.ts';

const verdictSchema = z.object({
  verdict_id: z.string(),
  submission_id: z.string(),
  amends: z.string().nullable().describe('the verdict before, where a person amended it'),
  ruling_id: z.string().nullable(),
  outcome: z.string(),
  integrity: z.string(),
  assurance: z.string().nullable(),
  fault: z.string(),
  score: z.number(),
  pinned: z.boolean().describe('false: the snapshot "host" does not name its bytes'),
  reason: z.string().nullable(),
  cases: z.object({ passed: z.int(), total: z.int() }),
  decision: z
    .object({
      action: z.string(),
      weight: z.number(),
      mask: z.boolean(),
      flags: z.array(z.string()),
      policy_digest: z.string(),
    })
    .nullable(),
  digests: z.object({ verdict: z.string(), grade: z.string(), artifact: z.string(), screening: z.string().nullable() }),
  created_at: z.string(),
  /** Only for reviewers: evidence and results by case may tell an agent what to change. */
  evidence: z
    .object({
      signals: z.array(z.unknown()),
      grade: z.unknown(),
    })
    .nullable(),
});

/** What was ruled on a hand-in, and for reviewers on what evidence. */
export const verdictRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database, trainerDetail }) => {
  app.get(
    '/v1/verdicts/:id',
    {
      config: { roles: ['trainer', 'harness', 'reviewer'] },
      schema: { params: z.object({ id: safeText(100) }), response: { 200: verdictSchema } },
    },
    async (request) => {
      refuseBrief(request.caller, trainerDetail);
      const verdict = await findVerdict(database, request.params.id);
      const decision = await findDecision(database, verdict.id);
      const maySeeEvidence = request.caller?.role === 'reviewer' || request.caller?.role === 'admin';
      const { basis, signals: _kinds, ...body } = verdict.body;
      return {
        verdict_id: verdict.id,
        submission_id: verdict.artifactId,
        ...{ amends: verdict.amends, ruling_id: verdict.rulingId },
        ...body,
        decision: decision === null ? null : { ...pickDecision(decision.body), policy_digest: decision.policyDigest },
        digests: { verdict: verdict.digest, ...basis },
        created_at: verdict.createdAt.toISOString(),
        evidence: maySeeEvidence ? await evidenceOf(database, verdict) : null,
      };
    },
  );
};

function pickDecision({
  action,
  weight,
  mask,
  flags,
}: {
  action: string;
  weight: number;
  mask: boolean;
  flags: string[];
}) {
  return { action, weight, mask, flags };
}

async function evidenceOf(database: ApiParts['database'], verdict: { artifactId: string; gradeId: string }) {
  const screening = await findScreening(database, verdict.artifactId);
  const grade = await findGrade(database, verdict.gradeId);
  return { signals: screening?.signals ?? [], grade: grade.body };
}
