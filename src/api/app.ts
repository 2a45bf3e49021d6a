import { randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { ProctorError } from '../platform/base/errors.ts';
import { parseHostileJson } from '../platform/base/safe-json.ts';
import type { ApiParts } from './api-parts.ts';
import { installAuth } from './auth.ts';
import { compatRoutes } from './compat/compat-routes.ts';
import { takeKeyFromPath } from './compat/key-in-path.ts';
import { errorSchema, replyWithError } from './error-reply.ts';
import { installRateLimit } from './rate-limit.ts';
import { admissionRoutes } from './routes/admissions.ts';
import { evidenceRoutes } from './routes/evidence.ts';
import { healthRoutes } from './routes/health.ts';
import { instanceRoutes } from './routes/instances.ts';
import { keyRoutes } from './routes/keys.ts';
import { profileRoutes } from './routes/profiles.ts';
import { groupAndAppealRoutes, reviewClaimRoutes, rulingRoutes } from './routes/review-actions.ts';
import { reviewFactRoutes } from './routes/review-facts.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { rewardRoutes } from './routes/rewards.ts';
import { runRoutes } from './routes/runs.ts';
import { sessionImportRoutes } from './routes/session-import.ts';
import { sessionStreamRoutes } from './routes/session-stream.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { taskLeakRoutes } from './routes/task-leaks.ts';
import { verdictRoutes } from './routes/verdicts.ts';
import { webhookRoutes } from './routes/webhooks.ts';

const MAX_JSON_DEPTH = 64;
const MAX_JSON_NODES = 200_000;
const MAX_MULTIPART_FILES = 5_000;
/** Of what a client says on a WebSocket: an action may write a file. */
const MAX_MESSAGE_BYTES = 4_194_304;

/** The HTTP service, ready to listen. It only translates: HTTP in, stages and pipeline, HTTP out. */
export async function buildApp(parts: ApiParts) {
  const app = Fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    bodyLimit: parts.maxUploadBytes,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    frameworkErrors: replyWithError,
    rewriteUrl: takeKeyFromPath,
    forceCloseConnections: 'idle',
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler((request) => {
    throw new ProctorError(
      'not-found',
      `there is no ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}; see /docs`,
    );
  });
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string) =>
    body === ''
      ? undefined
      : parseHostileJson(body, { maxBytes: parts.maxUploadBytes, maxDepth: MAX_JSON_DEPTH, maxNodes: MAX_JSON_NODES }),
  );
  await app.register(multipart, {
    preservePath: true,
    limits: { files: MAX_MULTIPART_FILES, fields: 20, fileSize: parts.maxUploadBytes, parts: MAX_MULTIPART_FILES + 20 },
  });
  await app.register(websocket, { options: { maxPayload: MAX_MESSAGE_BYTES } });
  await app.register(swagger, { openapi: OPENAPI, transform: jsonSchemaTransform });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  installAuth(app, parts.database);
  installRateLimit(app, parts.callsPerSecond);
  app.addHook('onRoute', (route) => {
    const replies = route.schema?.response;
    if (replies !== undefined && replies !== null) Object.assign(replies, { '4xx': errorSchema, '5xx': errorSchema });
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    parts.metrics.countRequest({ route, method: request.method, status: reply.statusCode, wallMs: reply.elapsedTime });
  });
  for (const routes of ROUTES) await app.register(routes, parts);
  return app;
}

const ROUTES = [
  ...[healthRoutes, instanceRoutes, submissionRoutes, verdictRoutes, profileRoutes],
  ...[evidenceRoutes, rewardRoutes, keyRoutes, admissionRoutes],
  ...[sessionRoutes, sessionStreamRoutes, sessionImportRoutes, taskLeakRoutes],
  ...[reviewRoutes, reviewFactRoutes, reviewClaimRoutes, rulingRoutes, groupAndAppealRoutes],
  ...[runRoutes, webhookRoutes],
  compatRoutes,
];

const OPENAPI = {
  info: {
    title: 'Proctor',
    description: 'Grades what agents hand in, so that their own code cannot forge the result. Errors: docs/errors.md.',
    version: '1',
  },
  components: { securitySchemes: { key: { type: 'http' as const, scheme: 'bearer' } } },
  security: [{ key: [] as string[] }],
};
