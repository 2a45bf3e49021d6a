import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { idPattern } from '../../platform/base/ids.ts';
import type { ArtifactRow } from '../../stages/artifact/artifact.ts';
import { findArtifact } from '../../stages/artifact/artifact-store.ts';
import { findLatestReward } from '../../stages/reward/reward-store.ts';
import { refuseCancelled } from '../../stages/run/run-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { phaseSchema } from '../phase.ts';
import { labelsOf, runFields } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';
import { decodeFiles, readMultipart, sentFilesSchema } from '../sent-files.ts';

const headSchema = z.object({
  instance_id: z.string().regex(idPattern('inst'), 'not an instance id'),
  idempotency_key: safeText(200).optional(),
  phase: phaseSchema,
  ...runFields,
});
const jsonSchema = headSchema.extend({ files: sentFilesSchema });

const sealedSchema = z.object({
  submission_id: z.string(),
  instance_id: z.string(),
  artifact_digest: z.string(),
  files: z.int(),
  left_behind: z.array(z.object({ path: z.string(), reason: z.string() })),
  refusal: z.object({ reason: z.string(), detail: z.string() }).nullable(),
});

const statusSchema = sealedSchema.extend({
  status: z.enum(['pending', 'scored', 'quarantined', 'unscored']),
  verdict_id: z.string().nullable(),
});

/** Handing in, and how far the work on it is. */
export const submissionRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.post(
    '/v1/submissions',
    {
      config: { roles: ['harness'] },
      schema: {
        consumes: ['application/json', 'multipart/form-data'],
        description:
          'Files in JSON, or as multipart: fields instance_id and idempotency_key, one part named "file" (or "executable") for each file.',
        body: jsonSchema.optional().or(z.null()),
        response: { 202: sealedSchema },
      },
    },
    async (request, reply) => {
      const { head, files } = request.isMultipart()
        ? await multipartHandIn(parts, request)
        : jsonHandIn(request.body ?? null);
      const labels = labelsOf(head, head.phase);
      await refuseCancelled(parts.database, labels);
      const idempotencyKey = keyOf(request, head.idempotency_key);
      const artifact = await parts.submit({ instanceId: head.instance_id, files, idempotencyKey, labels });
      reply.status(202);
      return sealed(artifact);
    },
  );

  app.get(
    '/v1/submissions/:id',
    {
      config: { roles: ['harness', 'trainer', 'reviewer'] },
      schema: { params: z.object({ id: safeText(100) }), response: { 200: statusSchema } },
    },
    async (request) => {
      const artifact = await findArtifact(parts.database, request.params.id);
      const reward = await findLatestReward(parts.database, artifact.id);
      return {
        ...sealed(artifact),
        status: reward?.body.status ?? ('pending' as const),
        verdict_id: reward?.verdictId ?? null,
      };
    },
  );
};

/** A caller's idempotency keys are its own. */
function keyOf(request: FastifyRequest, key: string | undefined): string | undefined {
  return key === undefined ? undefined : JSON.stringify(['submission', request.caller?.keyId, key]);
}

function jsonHandIn(body: z.infer<typeof jsonSchema> | null) {
  if (body === null) throw new ProctorError('bad-request', 'the body is empty: send instance_id and files');
  return { head: body, files: decodeFiles(body.files) };
}

async function multipartHandIn(parts: ApiParts, request: Parameters<typeof readMultipart>[0]) {
  const { fields, files } = await readMultipart(request, parts.maxUploadBytes);
  const head = headSchema.safeParse({ ...fields });
  if (head.success) return { head: head.data, files };
  const problems = head.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new ProctorError('bad-request', `the form fields are not as documented: ${problems.join('; ')}`);
}

function sealed(artifact: ArtifactRow): z.infer<typeof sealedSchema> {
  const { files, leftBehind, refusal } = artifact.manifest;
  return {
    submission_id: artifact.id,
    instance_id: artifact.instanceId,
    artifact_digest: artifact.digest,
    files: files.length,
    left_behind: leftBehind.map(({ path, reason }) => ({ path: String(JSON.parse(path)), reason })),
    refusal,
  };
}
