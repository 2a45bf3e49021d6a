import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { asProctorError, ProctorError } from '../../platform/base/errors.ts';
import { failedItem } from '../reward-item.ts';
import { type Answered, answerSample, callOf } from './answer-sample.ts';
import type { CompatParts } from './compat-parts.ts';
import { instanceOf } from './item-of.ts';
import { aggregateMetrics, metricsReplySchema, metricsRequestSchema } from './nemo-metrics.ts';
import { labelOfRow, type Row, responseOfRow, rowSchema } from './nemo-row.ts';
import { type CompatFormat, deadlineOf } from './patience.ts';
import { noResult } from './plain-reward.ts';
import { targetOf } from './target.ts';

interface Gym {
  readonly format: CompatFormat;
  /** What a sample that is not for learning becomes: marked in the answer, or an error, for clients that do not read marks. */
  readonly masked: 'marked' | 'refused';
}

/**
 * The same server twice. NeMo Gym and NeMo RL read `mask_sample`; verifiers and prime-rl take the reward whatever the mark says, and drop a
 * sample only when the call fails.
 */
const GYMS: readonly Gym[] = [
  { format: 'nemo-gym', masked: 'marked' },
  { format: 'verifiers', masked: 'refused' },
];

const CALLERS = { roles: ['trainer', 'harness'] } as const;
const COOKIE = 'proctor_gym';
const COOKIE_VALUE = new RegExp(`(?:^|;\\s*)${COOKIE}=(inst_[0-9a-z]{9}[0-9a-f]{20})(?:;|$)`);

const verifiedSchema = z.looseObject({
  reward: z.number(),
  mask_sample: z.boolean(),
  failure_kind: z.string().nullable(),
  failure_reason: z.string().nullable(),
  instance_config: z.looseObject({ mask_sample: z.boolean() }),
  score: z.number(),
  train_weight: z.number(),
});

/** A resources server of NeMo Gym. What `/seed_session` drew for a task is in its cookie, so no process has to remember it. */
export const nemoGymRoutes: FastifyPluginAsyncZod<CompatParts> = async (app, compat) => {
  for (const gym of GYMS) {
    const at = `/compat/${gym.format}` as const;
    app.post(
      `${at}/seed_session`,
      { config: CALLERS, schema: { body: rowSchema, response: { 200: z.record(z.string(), z.unknown()) } } },
      async ({ body }, reply) => {
        const instanceId = await seededInstance(compat, body);
        if (instanceId !== null) reply.header('set-cookie', `${COOKIE}=${instanceId}; Path=/; HttpOnly; SameSite=Lax`);
        // the client of newer versions checks that its own id comes back
        const { resources_session_id: own } = body;
        return own === undefined ? {} : { resources_session_id: own };
      },
    );
    app.post(
      `${at}/verify`,
      { config: CALLERS, schema: { body: rowSchema, response: { 200: verifiedSchema } } },
      async (request) => verified(request.body, await answerRow(compat, { request, row: request.body }, gym)),
    );
    app.post(
      `${at}/aggregate_metrics`,
      { config: CALLERS, schema: { body: metricsRequestSchema, response: { 200: metricsReplySchema } } },
      async ({ body }) => aggregateMetrics(body.verify_responses),
    );
    for (const method of ['GET', 'POST'] as const) {
      app.route({
        method,
        url: `${at}/reverify_mode`,
        config: CALLERS,
        schema: { response: { 200: z.string() } },
        // a stored row names its instance or hand-in, and the same one is graded alike
        handler: async (_request, reply) => reply.type('application/json').send('"stateless"'),
      });
    }
  }
};

/** The instance that a row asks to be drawn; null when it names something that is there, or nothing. */
async function seededInstance({ parts, drawn }: CompatParts, row: Row): Promise<string | null> {
  const label = labelOfRow(row);
  if (label === undefined) return null;
  const target = targetOf(label);
  return target.task === undefined ? null : instanceOf(parts, drawn, target);
}

async function answerRow(
  compat: CompatParts,
  { request, row }: { readonly request: FastifyRequest; readonly row: Row },
  { format, masked }: Gym,
): Promise<Answered['item']> {
  const instanceId = request.headers.cookie?.match(COOKIE_VALUE)?.[1];
  const sample = { label: labelOfRow(row), response: responseOfRow(row), instanceId };
  const call = callOf(request, deadlineOf(request, format));
  const answering = answerSample(compat, sample, call);
  if (masked === 'marked') {
    const { item } = await answering.catch((thrown) => ({
      item: { ...failedItem('', asProctorError(thrown)), latency_ms: 0 },
    }));
    return item;
  }
  const { item } = await answering;
  if (item.status === 'pending' || (item.status === 'unscored' && item.fault === 'platform')) throw noResult(item);
  if (!item.mask_sample) return item;
  throw new ProctorError('masked', `not for learning: ${item.failure_reason}`, { kind: item.failure_kind });
}

/** The row again, with what it earned. */
function verified(row: Row, item: Answered['item']): z.infer<typeof verifiedSchema> {
  const config = row.instance_config;
  const known = typeof config === 'object' && config !== null && !Array.isArray(config) ? config : {};
  const { reward, mask_sample, failure_kind, failure_reason, score, train_weight } = item;
  return {
    ...row,
    ...{ reward, score, train_weight, mask_sample },
    // its names have no dashes
    failure_kind: failure_kind === '' ? null : failure_kind.replaceAll('-', '_'),
    failure_reason: failure_reason === '' ? null : failure_reason,
    instance_config: { ...known, mask_sample },
  };
}
