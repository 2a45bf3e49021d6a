import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { ApiParts } from '../api-parts.ts';
import { listKeys, revokeKey } from '../key-store.ts';
import { createKey } from '../keys.ts';
import { ROLES } from '../roles.ts';
import { safeText } from '../safe-text.ts';

const listedSchema = z.object({
  key_id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  created_at: z.string(),
  revoked_at: z.string().nullable(),
});

/** API keys; for admins. */
export const keyRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  const config = { roles: ['admin'] as const };

  app.post(
    '/v1/keys',
    {
      config,
      schema: {
        body: z.object({ name: safeText(100), role: z.enum(ROLES) }),
        response: {
          201: z.object({ key_id: z.string(), key: z.string().describe('told once; only a digest is kept') }),
        },
      },
    },
    async (request, reply) => {
      const { id, text } = await createKey(database, request.body);
      reply.status(201);
      return { key_id: id, key: text };
    },
  );

  app.get(
    '/v1/keys',
    { config, schema: { response: { 200: z.object({ keys: z.array(listedSchema) }) } } },
    async () => ({
      keys: (await listKeys(database)).map(({ id, name, role, createdAt, revokedAt }) => ({
        key_id: id,
        name,
        role,
        created_at: createdAt.toISOString(),
        revoked_at: revokedAt?.toISOString() ?? null,
      })),
    }),
  );

  app.delete(
    '/v1/keys/:id',
    { config, schema: { params: z.object({ id: safeText(100) }), response: { 204: z.null() } } },
    async (request, reply) => {
      await revokeKey(database, request.params.id);
      reply.status(204);
      return null;
    },
  );
};
