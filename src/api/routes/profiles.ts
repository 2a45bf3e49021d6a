import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { profileBodySchema } from '../../stages/profile/profile.ts';
import { findSessionProfile } from '../../stages/profile/profile-store.ts';
import type { ApiParts } from '../api-parts.ts';
import { safeText } from '../safe-text.ts';

const profileSchema = z.object({
  profile_id: z.string(),
  session_id: z.string(),
  submission_id: z.string().nullable(),
  digest: z.string(),
  created_at: z.string(),
  profile: profileBodySchema,
});

/** How sessions behaved beside honest ones; only for reviewers, since it tells what is looked at. */
export const profileRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database }) => {
  app.get(
    '/v1/sessions/:id/profile',
    {
      config: { roles: ['reviewer'] },
      schema: { params: z.object({ id: safeText(100) }), response: { 200: profileSchema } },
    },
    async ({ params }) => {
      const { id, sessionId, artifactId, body, digest, createdAt } = await findSessionProfile(database, params.id);
      return {
        ...{ profile_id: id, session_id: sessionId, submission_id: artifactId, digest },
        ...{ created_at: createdAt.toISOString(), profile: body },
      };
    },
  );
};
