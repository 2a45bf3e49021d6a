import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { sendPage } from '../render.ts';
import type { WebParts } from '../web-parts.ts';
import { OnwardsPage } from './login-routes.tsx';
import { beginLogin, cookieName, cookieOptions } from './login-session.ts';
import { openOidc } from './oidc.ts';

/** How long somebody may take at their issuer. */
const ATTEMPT_SECONDS = 600;
const attemptSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });

/** Logging in by OpenID Connect, where it is configured. */
export function oidcRoutes(app: FastifyInstance, parts: WebParts): void {
  if (parts.oidc === null || parts.publicUrl === null) return;
  const oidc = openOidc(parts.oidc, parts.publicUrl);
  const name = cookieName(parts, 'oidc');
  // the issuer sends people back from its own site, and strict cookies do not come along
  const options = { ...cookieOptions(parts), sameSite: 'lax' } as const;

  app.get('/login/oidc', async (_request, reply) => {
    const { address, attempt } = await oidc.begin();
    const kept = Buffer.from(JSON.stringify(attempt)).toString('base64url');
    reply.setCookie(name, kept, { ...options, maxAge: ATTEMPT_SECONDS });
    return reply.redirect(address, 303);
  });

  app.get('/login/oidc/callback', async (request, reply) => {
    const attempt = attemptOf(request.cookies[name]);
    reply.clearCookie(name, options);
    const viewer = await oidc.finish(attempt, request.url.split('?')[1] ?? '');
    await beginLogin(parts, reply, viewer);
    return sendPage(reply, <OnwardsPage next="/review" />);
  });
}

function attemptOf(kept: string | undefined): z.infer<typeof attemptSchema> {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(kept ?? '', 'base64url').toString('utf8')));
  } catch {
    throw new ProctorError('forbidden', 'this login was not begun here, or took too long; begin again');
  }
}
