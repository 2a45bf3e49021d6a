import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { responseIn } from '../code-of.ts';
import { type Answered, answerSample, callOf } from './answer-sample.ts';
import type { CompatParts } from './compat-parts.ts';
import { deadlineOf } from './patience.ts';
import { fallbackOf, type PlainReward, plainRewards } from './plain-reward.ts';

const MAX_SAMPLES = 1_024;

const listSchema = z.array(z.unknown()).max(MAX_SAMPLES);
const bodySchema = z.looseObject({
  query: listSchema.describe('each a prompt with its response'),
  prompts: listSchema,
  labels: listSchema.nullish(),
});

const numbers = z.array(z.number());
/** As `openrlhf.cli.serve_rm` answers: OpenRLHF makes tensors of every list, and merges samples by the keys of `extra_logs`. */
const replySchema = z.object({
  rewards: numbers,
  scores: numbers,
  extra_logs: z.object({
    proctor_score: numbers,
    proctor_weight: numbers,
    proctor_masked: numbers,
    proctor_neutral: numbers,
    proctor_fallback: numbers,
  }),
});

/** OpenRLHF’s remote reward: `POST {query, prompts, labels}`, usually lists of one. */
export const openrlhfRoutes: FastifyPluginAsyncZod<CompatParts> = async (app, compat) => {
  app.post(
    '/compat/openrlhf/get_reward',
    { config: { roles: ['trainer', 'harness'] }, schema: { body: bodySchema, response: { 200: replySchema } } },
    async (request) => {
      const samples = samplesOf(request.body);
      const fallback = fallbackOf(request);
      const call = callOf(request, deadlineOf(request, 'openrlhf'));
      const answers = await Promise.all(samples.map((sample) => answerSample(compat, sample, call)));
      return reply(answers, plainRewards(compat, answers, fallback));
    },
  );
};

function samplesOf({ query, prompts, labels }: z.infer<typeof bodySchema>) {
  if (query.length !== prompts.length || (labels?.length ?? query.length) !== query.length) {
    throw new ProctorError('bad-request', 'query, prompts and labels must be lists of one length');
  }
  return query.map((text, index) => {
    const prompt = prompts[index];
    const whole = typeof text === 'string' ? text : '';
    const response = typeof prompt === 'string' ? responseIn(whole, prompt) : whole;
    return { label: labels?.[index], response };
  });
}

function reply(answers: readonly Answered[], paid: readonly PlainReward[]): z.infer<typeof replySchema> {
  const rewards = paid.map(({ reward }) => reward);
  const based = (basis: PlainReward['basis']) => paid.map((one) => Number(one.basis === basis));
  return {
    rewards,
    scores: rewards,
    extra_logs: {
      proctor_score: answers.map(({ item }) => item.score),
      proctor_weight: answers.map(({ item }) => item.train_weight),
      proctor_masked: answers.map(({ item }) => Number(item.mask_sample)),
      proctor_neutral: based('neutral'),
      proctor_fallback: based('fallback'),
    },
  };
}
