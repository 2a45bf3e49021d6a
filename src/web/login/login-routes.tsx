import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { identify } from '../../api/keys.ts';
import { readFields } from '../form.ts';
import { Layout, type Visit } from '../layout.tsx';
import { sendPage, visitOf } from '../render.ts';
import { visibleLine } from '../visible.ts';
import type { WebParts } from '../web-parts.ts';
import { LoginPage } from './login-page.tsx';
import { beginLogin, endLogin } from './login-session.ts';
import { countWrongTries } from './wrong-tries.ts';

const thenSchema = z.object({ next: z.string().max(2_000).optional().catch(undefined) });
const loginSchema = thenSchema.extend({ key: z.string().max(200).trim() });

/** Logging in with an API key, and out. */
export function loginRoutes(app: FastifyInstance, parts: WebParts): void {
  const tries = countWrongTries();

  app.get('/login', async (request, reply) => {
    const next = ownPath(readFields(thenSchema, request.query).next);
    if (request.viewer !== null) return reply.redirect(next, 303);
    return loginPage(request, reply, { next, problem: null });
  });

  app.post('/login', async (request, reply) => {
    const { key, ...given } = readFields(loginSchema, request.body);
    const next = ownPath(given.next);
    tries.refuse(request.ip);
    const caller = await identify(parts.database, key);
    if (caller === null) {
      tries.note(request.ip);
      return loginPage(request, reply.status(401), { next, problem: 'This key opens nothing.' });
    }
    const { role, name, keyId } = caller;
    if (role !== 'reviewer' && role !== 'admin') {
      return loginPage(request, reply.status(403), {
        next,
        problem: `A ${role} key does not open these pages; it takes reviewer or admin.`,
      });
    }
    await beginLogin(parts, reply, { name, role, keyId });
    return reply.redirect(next, 303);
  });

  app.post('/logout', async (request, reply) => {
    await endLogin(parts, request, reply);
    return reply.redirect('/login', 303);
  });

  app.get('/account', async (request, reply) => sendPage(reply, <AccountPage visit={visitOf(request)} />));

  const loginPage = (request: FastifyRequest, reply: FastifyReply, shown: { next: string; problem: string | null }) =>
    sendPage(reply, <LoginPage visit={visitOf(request)} hasOidc={parts.oidc !== null} {...shown} />);
}

function AccountPage({ visit }: { readonly visit: Visit }) {
  return (
    <Layout title="Who you are" visit={visit}>
      <div class="card narrow">
        <h1>{visibleLine(visit.viewer?.name ?? '', 200)}</h1>
        <p>
          You are logged in as <strong>{visit.viewer?.role}</strong>
          {visit.viewer?.keyId === null ? ', by your organisation.' : ', with an API key.'} What you rule and open is in
          the <a href="/review/audit">audit log</a> under this name.
        </p>
      </div>
    </Layout>
  );
}

/** A page that takes somebody who comes from elsewhere to one of ours: cookies that are strict are not sent on a redirect. */
export function OnwardsPage({ next }: { readonly next: string }) {
  return (
    <Layout title="Logged in" visit={{ viewer: null, csrf: '' }} onwards={next}>
      <div class="card narrow">
        <h1>Logged in</h1>
        <p>
          <a class="button" href={next}>
            Go on
          </a>
        </p>
      </div>
    </Layout>
  );
}

/** A path of this service, whatever was asked for: never an address elsewhere, nor one that a browser reads as such. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && /^\/(review|dashboard|verdict|account)(?![^/?])[\x21-\x5b\x5d-\x7e]*$/.test(next)
    ? next
    : '/review';
}
