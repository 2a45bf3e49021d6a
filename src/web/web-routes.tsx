import cookie from '@fastify/cookie';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asProctorError, ERRORS, ProctorError } from '../platform/base/errors.ts';
import { serveAssets } from './assets.ts';
import { caseRoutes } from './case/case-routes.tsx';
import { dashboardRoutes } from './dashboard/dashboard-routes.tsx';
import { parseForm } from './form.ts';
import { PAGE_HEADERS } from './headers.ts';
import { ProblemPage } from './layout.tsx';
import { loginRoutes } from './login/login-routes.tsx';
import { checkForm, recogniseViewer } from './login/login-session.ts';
import { oidcRoutes } from './login/oidc-routes.tsx';
import { queueRoutes } from './queue/queue-routes.tsx';
import { sendPage, visitOf } from './render.ts';
import type { WebParts } from './web-parts.ts';

const MOST_FORM_BYTES = 65_536;

/** Pages that are for everybody. */
const OPEN = ['/login', '/login/oidc', '/login/oidc/callback', '/web/app.css', '/web/app.js', '/web/icon.svg'];
const TITLES: Readonly<Partial<Record<string, string>>> = {
  'not-found': 'Not here',
  forbidden: 'Not allowed',
  conflict: 'Somebody was faster',
  'too-many-tries': 'Too many tries',
  'bad-request': 'That does not work',
};

/** The reviewers' pages: HTML from the server, nothing of it needs a script. */
export async function webRoutes(app: FastifyInstance, parts: WebParts): Promise<void> {
  await app.register(cookie);
  app.decorateRequest('viewer', null);
  app.decorateRequest('csrf', '');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MOST_FORM_BYTES },
    async (_request: unknown, body: string) => parseForm(body),
  );
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(PAGE_HEADERS);
    await recogniseViewer(parts, request, reply);
    const { url = '' } = request.routeOptions;
    if (request.viewer === null && !OPEN.includes(url)) return reply.redirect(loginAddress(request), 303);
  });
  app.addHook('preHandler', async (request) => {
    if (request.method === 'POST') checkForm(request);
  });
  app.setErrorHandler(answerProblem);
  await serveAssets(app);
  loginRoutes(app, parts);
  oidcRoutes(app, parts);
  queueRoutes(app, parts);
  caseRoutes(app, parts);
  dashboardRoutes(app, parts);
  app.get('/', (_request, reply) => reply.redirect('/review', 303));
}

function loginAddress({ method, url }: FastifyRequest): string {
  return method === 'GET' ? `/login?next=${encodeURIComponent(url)}` : '/login';
}

function answerProblem(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const error = translate(thrown);
  const { httpStatus, mend } = ERRORS[error.code];
  if (httpStatus >= 500) request.log.error({ err: thrown, code: error.code }, 'a page failed');
  const { retryAfterSeconds } = error.details;
  if (typeof retryAfterSeconds === 'number') reply.header('retry-after', String(retryAfterSeconds));
  const isDefect = error.code === 'defect';
  sendPage(
    reply.status(httpStatus),
    <ProblemPage
      visit={visitOf(request)}
      title={TITLES[error.code] ?? 'That did not work'}
      message={isDefect ? 'An unexpected error; the log has it under this request.' : error.message}
      mend={`What to do: ${mend}.`}
      requestId={request.id}
    />,
  );
}

function translate(thrown: FastifyError): ProctorError {
  if (thrown instanceof ProctorError) return thrown;
  if (thrown.statusCode === 413) return new ProctorError('too-large', 'the form is too long');
  if (thrown.statusCode !== undefined && thrown.statusCode >= 400 && thrown.statusCode < 500) {
    return new ProctorError('bad-request', thrown.message);
  }
  return asProctorError(thrown);
}
