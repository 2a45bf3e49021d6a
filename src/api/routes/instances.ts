import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { seedSchema } from '../../stages/instance/instance.ts';
import { findTask, findTaskDigest, listTasks, taskListingSchema } from '../../stages/task/task-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { phaseSchema } from '../phase.ts';
import { safeText } from '../safe-text.ts';

const requestSchema = z.object({
  task: safeText(200).describe('name or digest of a registered task'),
  seed: seedSchema.optional().describe('draws everything; without it a new one is drawn and kept secret'),
  difficulty: safeText(40).optional().describe('a level of the task’s; without it one is drawn'),
  phase: phaseSchema,
});

const instanceSchema = z.object({
  instance_id: z.string(),
  task_digest: z.string(),
  digest: z.string(),
  difficulty: z.string().nullable(),
  instruction: z.string(),
  /** Variables for the shell in which the agent works. */
  environment: z.record(z.string(), z.string()),
  files: z.array(z.object({ path: z.string(), executable: z.boolean(), content_base64: z.string() })),
});

/** Tasks that are registered, and instances of them. */
export const instanceRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  app.get(
    '/v1/tasks',
    {
      config: { roles: ['harness', 'trainer', 'reviewer'] },
      schema: { response: { 200: z.object({ tasks: z.array(taskListingSchema) }) } },
    },
    async () => ({ tasks: [...(await listTasks(parts.database))] }),
  );

  app.post(
    '/v1/instances',
    {
      config: { roles: ['harness', 'trainer'] },
      schema: { body: requestSchema, response: { 201: instanceSchema } },
    },
    async (request, reply) => {
      const task = await findTask(parts, await findTaskDigest(parts.database, request.body.task));
      const { row, instance } = await parts.instances.serve(task, request.body);
      reply.status(201);
      return {
        instance_id: row.id,
        task_digest: instance.taskDigest,
        digest: instance.digest,
        difficulty: instance.draws.difficulty,
        instruction: instance.instruction,
        environment: { ...instance.environment },
        files: instance.files.map(({ path, mode, bytes }) => ({
          path,
          executable: (mode & 0o100) !== 0,
          content_base64: bytes.toString('base64'),
        })),
      };
    },
  );
};
