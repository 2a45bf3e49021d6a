import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { idPattern } from '../../platform/base/ids.ts';
import type { ApiParts } from '../api-parts.ts';
import { phaseSchema } from '../phase.ts';
import { labelsOf, runFields } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';
import { decodeFiles, sentFilesSchema } from '../sent-files.ts';
import { sessionKey } from '../session-key.ts';
import { endReplySchema, showEnd } from '../show-session.ts';

const textOf = z.record(z.string(), z.unknown());
const importSchema = z.object({
  instance_id: z.string().regex(idPattern('inst'), 'not an instance id'),
  idempotency_key: safeText(200),
  phase: phaseSchema,
  ...runFields,
  files: sentFilesSchema.describe('the workspace as the agent left it'),
  steps: z
    .array(
      z.object({
        at: z.iso
          .datetime({ offset: true })
          .refine((text) => /^(19|20)/.test(text), 'not a time of this or the last century')
          .optional(),
        message_id: safeText(200).optional(),
        action: textOf,
        observation: textOf,
      }),
    )
    .max(10_000),
});

/** Sessions that harnesses ran in sandboxes of their own. */
export const sessionImportRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.post(
    '/v1/sessions/import',
    { config: { roles: ['harness'] }, schema: { body: importSchema, response: { 201: endReplySchema } } },
    async (request, reply) => {
      const { instance_id, files, steps, idempotency_key } = request.body;
      const { sessionId, end } = await parts.importSession({
        instanceId: instance_id,
        files: decodeFiles(files),
        steps: steps.map(({ at, message_id, action, observation }) => ({
          at: at === undefined ? null : new Date(at),
          messageId: message_id ?? null,
          ...{ action, observation },
        })),
        idempotencyKey: sessionKey(request, idempotency_key, 'import'),
        labels: labelsOf(request.body, request.body.phase),
      });
      reply.status(201);
      return showEnd(sessionId, end);
    },
  );
};
