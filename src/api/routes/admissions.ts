import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { auditReportSchema, GATES, ruleOn } from '../../stages/task/admission.ts';
import { findAdmission, saveAdmission } from '../../stages/task/admission-store.ts';
import type { ApiParts } from '../api-parts.ts';

/** Audits of tasks: what `proctor audit --json` printed elsewhere is kept here, and ruled on here. */
export const admissionRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  app.post(
    '/v1/admissions',
    {
      config: { roles: ['admin'] },
      schema: {
        body: auditReportSchema.describe('what `proctor audit --json` printed'),
        response: {
          201: z.object({
            task_digest: z.string(),
            gate: z.enum(GATES),
            score: z.number(),
            why: z.array(z.string()),
          }),
        },
      },
    },
    async (request, reply) => {
      const { score: _score, gate: _gate, why: _why, ...findings } = request.body;
      const report = ruleOn(findings);
      await saveAdmission(database, report);
      reply.status(201);
      return { task_digest: report.digest, gate: report.gate, score: report.score, why: report.why };
    },
  );

  app.get(
    '/v1/admissions/:digest',
    {
      config: { roles: ['reviewer'] },
      schema: {
        params: z.object({ digest: digestSchema }),
        response: { 200: auditReportSchema.extend({ digest: z.string() }) },
      },
    },
    async (request) => {
      const report = await findAdmission(database, request.params.digest);
      if (report === null) throw new ProctorError('not-found', `no audit of ${request.params.digest} is stored`);
      return report;
    },
  );
};
