import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { newId } from '../../platform/base/ids.ts';
import { refuseTarget } from '../../platform/egress/post-outside.ts';
import { newWebhookSecret, WEBHOOK_EVENTS } from '../../stages/reward/webhook.ts';
import { endWebhook, listWebhooks, saveWebhook } from '../../stages/reward/webhook-store.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Caller } from '../keys.ts';
import { ownName } from '../run-labels.ts';
import { safeText } from '../safe-text.ts';

const config = { roles: ['trainer', 'harness'] } as const;

const webhookShape = {
  webhook_id: z.string(),
  url: z.string(),
  run_id: z.string().nullable().describe('null: every run, and what belongs to none'),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
};

/** Who is told of what by a call of ours; a key sees and ends its own. */
export const webhookRoutes: FastifyPluginAsyncZod<ApiParts> = async (app, { database, webhookAllow }) => {
  app.post(
    '/v1/webhooks',
    {
      config,
      schema: {
        body: z.object({
          url: safeText(2_000),
          run_id: ownName.optional(),
          events: z
            .array(z.enum(WEBHOOK_EVENTS))
            .min(1)
            .default([...WEBHOOK_EVENTS]),
        }),
        response: {
          201: z.object({ ...webhookShape, secret: z.string().describe('told once: verifies the signatures') }),
        },
      },
    },
    async ({ body, caller }, reply) => {
      refuseTarget(body.url, webhookAllow);
      const webhook = { id: newId('hook'), url: body.url, run: body.run_id ?? null, events: [...new Set(body.events)] };
      const secret = newWebhookSecret();
      await saveWebhook(database, { ...webhook, keyId: caller?.keyId ?? '', secret });
      reply.status(201);
      return { webhook_id: webhook.id, url: webhook.url, run_id: webhook.run, events: webhook.events, secret };
    },
  );

  ownRoutes(app, database);
};

const ownRoutes = (app: Parameters<FastifyPluginAsyncZod<ApiParts>>[0], database: ApiParts['database']): void => {
  app.get(
    '/v1/webhooks',
    {
      config,
      schema: {
        response: {
          200: z.object({
            webhooks: z.array(
              z.object({
                ...webhookShape,
                messages: z.object({ due: z.int(), delivered: z.int(), given_up: z.int() }),
                last_failure: z.string().nullable(),
              }),
            ),
          }),
        },
      },
    },
    async ({ caller }) => ({
      webhooks: (await listWebhooks(database, whose(caller))).map((webhook) => ({
        ...{ webhook_id: webhook.id, url: webhook.url, run_id: webhook.run, events: webhook.events },
        messages: { due: webhook.due, delivered: webhook.delivered, given_up: webhook.givenUp },
        last_failure: webhook.lastFailure,
      })),
    }),
  );

  app.delete(
    '/v1/webhooks/:id',
    { config, schema: { params: z.object({ id: safeText(100) }), response: { 204: z.null() } } },
    async ({ params, caller }, reply) => {
      await endWebhook(database, params.id, whose(caller));
      reply.status(204);
      return null;
    },
  );
};

/** Whose webhooks a key may see; null: everybody's. */
function whose(caller: Caller | null): string | null {
  return caller?.role === 'admin' ? null : (caller?.keyId ?? '');
}
