import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { idPattern } from '../../platform/base/ids.ts';
import { seedSchema } from '../../stages/instance/instance.ts';
import { findInstance } from '../../stages/instance/instance-store.ts';
import { remakeInstance } from '../../stages/instance/make-instance.ts';
import { refuseCancelled } from '../../stages/run/run-store.ts';
import { actionSchema } from '../../stages/session/environment.ts';
import { checkAction, ENVIRONMENTS } from '../../stages/session/environments.ts';
import { observationSchema } from '../../stages/session/observation.ts';
import type { SessionRow } from '../../stages/session/session.ts';
import {
  findSession,
  findSessionByKey,
  findSessionEnd,
  hasOutput,
  listEvents,
  type StoredEnd,
} from '../../stages/session/session-store.ts';
import { findTask, findTaskDigest } from '../../stages/task/task-store.ts';
import type { ApiParts, ApiSessions } from '../api-parts.ts';
import { passOn } from '../pass-on.ts';
import { phaseSchema } from '../phase.ts';
import { labelsOf, runFields } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';
import { sessionKey } from '../session-key.ts';
import { endReplySchema, eventSchema, sessionSchema, showEnd, showEvent, showSession } from '../show-session.ts';

const HARNESS = { roles: ['harness'] } as const;
const READERS = { roles: ['harness', 'trainer', 'reviewer'] } as const;
const byId = z.object({ id: safeText(100) });

const openSchema = z
  .object({
    instance_id: z.string().regex(idPattern('inst'), 'not an instance id').optional(),
    task: safeText(200).optional().describe('name or digest of a registered task, of which a new instance is made'),
    seed: seedSchema.optional().describe('of that new instance'),
    difficulty: safeText(40).optional().describe('a level of the task’s; without it one is drawn'),
    phase: phaseSchema,
    idempotency_key: safeText(200).optional(),
    ...runFields,
  })
  .refine((body) => (body.instance_id === undefined) !== (body.task === undefined), {
    error: 'give either instance_id or task',
  });

const actBodySchema = actionSchema.extend({
  step_id: safeText(200)
    .optional()
    .describe(
      'of the caller’s choice: the same again is answered as before and makes no step, so that it may be repeated',
    ),
  message_id: safeText(200).optional().describe('of the agent’s message that asked for it; stands in the log'),
  tokens: z.int().min(0).max(1_000_000_000).default(0).describe('used since the last action, as the harness counts'),
});

/** Workspaces in which agents act. */
export const sessionRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, parts) => {
  const preHandler = passOn(parts);
  app.get(
    '/v1/environments',
    { config: READERS, schema: { response: { 200: z.object({ environments: z.array(z.unknown()) }) } } },
    async () => ({ environments: describeEnvironments() }),
  );

  app.post(
    '/v1/sessions',
    { preHandler, config: HARNESS, schema: { body: openSchema, response: { 201: sessionSchema } } },
    async (request, reply) => {
      const { idempotency_key } = request.body;
      const key = idempotency_key === undefined ? null : sessionKey(request, idempotency_key);
      const row = await openOnce(parts, request.body, key);
      reply.status(201);
      return showSession(row, await instructionOf(parts, row.instanceId));
    },
  );

  app.post(
    '/v1/sessions/:id/act',
    {
      preHandler,
      config: HARNESS,
      schema: { params: byId, body: actBodySchema, response: { 200: observationSchema } },
    },
    async (request) => {
      const { step_id, message_id, tokens, ...action } = request.body;
      const checked = checkAction(action);
      return here(parts).act(request.params.id, {
        action: checked,
        stepId: step_id ?? null,
        messageId: message_id ?? null,
        tokens,
      });
    },
  );

  app.post(
    '/v1/sessions/:id/finish',
    { preHandler, config: HARNESS, schema: { params: byId, response: { 200: endReplySchema } } },
    async ({ params }) =>
      showEnd(params.id, (await endThatIs(parts, params.id)) ?? (await here(parts).finish(params.id))),
  );

  app.delete(
    '/v1/sessions/:id',
    { preHandler, config: HARNESS, schema: { params: byId, response: { 200: endReplySchema } } },
    async ({ params }) =>
      showEnd(params.id, (await endThatIs(parts, params.id)) ?? (await here(parts).abandon(params.id))),
  );

  observeRoute(app, parts);
  outputRoute(app, parts);
};

const observeRoute: (...given: Parameters<FastifyPluginAsyncZod<ApiParts>>) => void = (app, { database }) => {
  app.get(
    '/v1/sessions/:id/observe',
    {
      config: READERS,
      schema: {
        params: byId,
        querystring: z.object({
          after: z.coerce.number().int().min(0).default(0).describe('number of the last event that is known'),
          limit: z.coerce.number().int().min(1).max(1_000).default(200),
        }),
        response: {
          200: z.object({ session: sessionSchema, end: endReplySchema.nullable(), events: z.array(eventSchema) }),
        },
      },
    },
    async (request) => {
      const { id } = request.params;
      const row = await findSession(database, id);
      const end = await findSessionEnd(database, id);
      const events = await listEvents(database, id, request.query);
      return { session: showSession(row, null), end: end && showEnd(id, end), events: events.map(showEvent) };
    },
  );
};

const outputRoute: (...given: Parameters<FastifyPluginAsyncZod<ApiParts>>) => void = (app, { database, blobs }) => {
  app.get(
    '/v1/sessions/:id/outputs/:sha256',
    {
      config: READERS,
      schema: {
        params: byId.extend({ sha256: digestSchema }),
        description: 'The whole of an output of one of its steps, as bytes, by the digest that the observation gave.',
      },
    },
    async (request, reply) => {
      const { id, sha256 } = request.params;
      if (!(await hasOutput(database, id, sha256))) {
        throw new ProctorError('not-found', `session ${JSON.stringify(id)} has no output ${sha256}`);
      }
      reply.header('content-type', 'application/octet-stream').header('x-content-type-options', 'nosniff');
      return reply.send(await blobs.get(sha256));
    },
  );
};

/** The end of a session that has one, which any process can tell. */
async function endThatIs({ database }: ApiParts, id: string): Promise<StoredEnd | null> {
  return findSessionEnd(database, (await findSession(database, id)).id);
}

/** A process without sandboxes has no sessions. */
function here({ sessions }: ApiParts): ApiSessions {
  if (sessions !== null) return sessions;
  throw new ProctorError(
    'capability-missing',
    'this process has no workspaces: open sessions at one that grades (proctor serve without --api-only, as root, with strace)',
  );
}

/** A session for an instance, or for a new one of a task; one key opens one, however often and how close together it is asked for. */
async function openOnce(parts: ApiParts, body: z.infer<typeof openSchema>, key: string | null): Promise<SessionRow> {
  const sessions = here(parts);
  const earlier = async () => {
    const row = key === null ? null : await findSessionByKey(parts.database, key);
    return row !== null && (await isAsked(parts, row, body)) ? row : null;
  };
  const known = await earlier();
  if (known !== null) return known;
  const labels = labelsOf(body, body.phase);
  await refuseCancelled(parts.database, labels);
  const instanceId = await instanceFor(parts, body);
  return sessions.open({ instanceId, idempotencyKey: key, labels }).catch(async (thrown) => {
    const other = thrown instanceof ProctorError && thrown.code === 'conflict' ? await earlier() : null;
    if (other !== null) return other; // another request with this key was first
    throw thrown;
  });
}

/** Whether a session is for what is asked for. */
async function isAsked({ database }: ApiParts, row: SessionRow, body: z.infer<typeof openSchema>): Promise<boolean> {
  if (body.task === undefined) return row.instanceId === body.instance_id;
  const { taskDigest, seed, draws } = await findInstance(database, row.instanceId);
  const isOfTask = taskDigest === (await findTaskDigest(database, body.task));
  const isAtLevel = body.difficulty === undefined || body.difficulty === draws.difficulty;
  return isOfTask && isAtLevel && (body.seed === undefined || body.seed === seed);
}

async function instanceFor(parts: ApiParts, body: z.infer<typeof openSchema>): Promise<string> {
  const { instance_id: known, task, seed, difficulty, phase } = body;
  if (known !== undefined) {
    await parts.instances.refuseRetired(known, phase);
    return known;
  }
  const found = await findTask(parts, await findTaskDigest(parts.database, task ?? ''));
  return (await parts.instances.serve(found, { seed, difficulty, phase })).row.id;
}

async function instructionOf(parts: ApiParts, instanceId: string): Promise<string> {
  const row = await findInstance(parts.database, instanceId);
  return remakeInstance(await findTask(parts, row.taskDigest), row).instruction;
}

function describeEnvironments() {
  return Object.values(ENVIRONMENTS).map(({ name, actions }) => ({
    name,
    actions: Object.entries(actions).map(([action, { about, parameters }]) => ({
      ...{ name: action, about },
      parameters: z.toJSONSchema(parameters, { io: 'input' }),
    })),
  }));
}
