import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { answerSample, callOf } from './answer-sample.ts';
import type { CompatParts } from './compat-parts.ts';
import { deadlineOf } from './patience.ts';
import { fallbackOf, plainRewards } from './plain-reward.ts';

const bodySchema = z.looseObject({ prompt: z.unknown(), response: z.string(), label: z.unknown() });

const detailSchema = z.object({
  reward: z.number().describe('for `--reward-key reward`'),
  score: z.number(),
  train_weight: z.number(),
  mask_sample: z.boolean(),
  basis: z.enum(['earned', 'neutral', 'fallback']),
  failure_kind: z.string(),
});

/** slime’s `remote_rm`: `POST {prompt, response, label}` for each sample; it takes what comes as the sample’s reward. */
export const slimeRoutes: FastifyPluginAsyncZod<CompatParts> = async (app, compat) => {
  app.post(
    '/compat/slime/rm',
    {
      config: { roles: ['trainer', 'harness'] },
      schema: {
        description:
          'A number; with ?detail=1 an object, for --reward-key reward and a hook that reads weight and mask.',
        body: bodySchema,
        response: { 200: z.union([z.number(), detailSchema]) },
      },
    },
    async (request) => {
      const { label, response } = request.body;
      const fallback = fallbackOf(request);
      const call = callOf(request, deadlineOf(request, 'slime'));
      const answer = await answerSample(compat, { label, response }, call);
      const [paid] = plainRewards(compat, [answer], fallback);
      const { reward, basis } = paid ?? { reward: fallback, basis: 'fallback' as const };
      if ((request.query as { detail?: unknown }).detail !== '1') return reward;
      const { score, train_weight, mask_sample, failure_kind } = answer.item;
      return { reward, score, train_weight, mask_sample, basis, failure_kind };
    },
  );
};
