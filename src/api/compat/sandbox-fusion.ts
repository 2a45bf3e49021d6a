import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { asProctorError, ProctorError } from '../../platform/base/errors.ts';
import { codeOf } from '../code-of.ts';
import { type Answered, answerSample, callOf } from './answer-sample.ts';
import type { CompatParts } from './compat-parts.ts';
import { createGate, type Gate } from './gate.ts';
import { deadlineOf } from './patience.ts';
import { onceOf, ranOf, ranSchema, runCodeSchema } from './run-code.ts';

/** How long a program waits for a place: its client waits `compile_timeout + run_timeout + 10` seconds. */
const WAIT_MS = 6_000;

const submitSchema = z.looseObject({
  dataset: z.string().max(1_000).optional(),
  id: z.unknown().describe('a label: inst_…, sub_…, sess_… or JSON'),
  completion: z.string(),
});

const gradedSchema = z.object({
  id: z.unknown(),
  accepted: z.boolean(),
  extracted_code: z.string(),
  full_code: z.null(),
  test_code: z.null(),
  tests: z.array(z.never()).describe('always empty: which hidden tests failed is not told'),
  extracted_type: z.enum(['fenced', 'empty']),
  extra: z.object({
    reward: z.number(),
    score: z.number(),
    train_weight: z.number(),
    cases_passed: z.number(),
    cases_total: z.number(),
  }),
});

/** SandboxFusion: a program run in a fresh sandbox, or an answer graded. Its clients come again on 504 alone, so that is what “not now” is. */
export const sandboxFusionRoutes: FastifyPluginAsyncZod<CompatParts> = async (app, compat) => {
  const { parts } = compat;
  const gate = createGate(parts.programs?.places ?? 0);
  const CALLERS = { roles: ['trainer', 'harness'] } as const;
  app.post(
    '/compat/sandbox-fusion/run_code',
    { config: CALLERS, schema: { body: runCodeSchema, response: { 200: ranSchema } } },
    async (request) => {
      const deadlineMs = Math.min(deadlineOf(request, 'sandbox-fusion'), performance.now() + WAIT_MS);
      return notNow(runCode(compat, request.body, () => gate.enter(deadlineMs)));
    },
  );
  app.post(
    '/compat/sandbox-fusion/submit',
    { config: CALLERS, schema: { body: submitSchema, response: { 200: gradedSchema } } },
    async (request) => {
      const { id, completion } = request.body;
      const call = callOf(request, deadlineOf(request, 'sandbox-fusion'));
      const { item } = await notNow(answerSample(compat, { label: id, response: completion }, call));
      if (item.mask_sample) throw maskedError(item);
      const extracted_code = codeOf(completion);
      const { reward, score, train_weight, outcome, metrics } = item;
      return {
        id,
        accepted: outcome === 'passed' && reward > 0,
        extracted_code,
        ...{ full_code: null, test_code: null, tests: [] },
        extracted_type: extracted_code === '' ? ('empty' as const) : ('fenced' as const),
        extra: { reward, score, train_weight, ...metrics },
      };
    },
  );
};

async function runCode(
  { parts }: CompatParts,
  body: z.infer<typeof runCodeSchema>,
  enter: () => ReturnType<Gate['enter']>,
) {
  const { programs } = parts;
  const request = onceOf(body);
  if (programs === null) {
    throw new ProctorError(
      'busy',
      'this process has no sandboxes: ask one that grades (proctor serve without --api-only)',
    );
  }
  const leave = await enter();
  if (leave === null) throw new ProctorError('busy', `all ${programs.places} places for programs are taken`);
  try {
    return ranOf(body, await programs.run(request));
  } finally {
    leave();
  }
}

/** Whatever the platform cannot do at the moment is `busy`. */
async function notNow<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown) => {
    const error = asProctorError(thrown);
    throw error.fault === 'platform' ? new ProctorError('busy', error.message, error.details, { cause: error }) : error;
  });
}

function maskedError({ status, fault, failure_kind, failure_reason }: Answered['item']): ProctorError {
  const isLate = status === 'pending' || (status === 'unscored' && fault === 'platform');
  const message = `${isLate ? 'no reward yet' : 'not for learning'}: ${failure_reason}`;
  return new ProctorError(isLate ? 'busy' : 'masked', message, { kind: failure_kind });
}
