import { z } from 'zod';
import { digestSchema } from '../../platform/base/digest.ts';
import { decisionBodySchema } from '../policy/policy.ts';
import { rewardBodySchema } from '../reward/reward.ts';
import { runLabelsSchema } from '../run/run.ts';
import { SESSION_ORIGINS, sessionEndSchema } from '../session/session.ts';
import { verdictBodySchema } from '../verdict/verdict.ts';

export const episodeStepSchema = z.object({
  /** From 1. */
  step: z.int(),
  /** When it began, as ISO text. */
  at: z.string(),
  /** The harness's id of the agent's message; steps of one message share it. */
  messageId: z.string().nullable(),
  action: z.object({
    /** `reported` where a harness tells an action in a shape of its own. */
    environment: z.string(),
    action: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
  observation: z.object({
    /** A status of the session's observations; `reported` where a harness told it, `void` where a fault of ours ended it. */
    status: z.string(),
    exitCode: z.number().nullable(),
    /** What was shown, of all outputs together; empty until texts were loaded. */
    text: z.string(),
    /** Outputs whose texts are kept by digest. */
    outputs: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string().nullable() })),
    error: z.string().nullable(),
  }),
  /** As the harness counted them; null: not told. */
  tokens: z.number().nullable(),
  wallMs: z.number().nullable(),
  /** Where a harness says that something began or was reached with this step. */
  mark: z.object({ kind: z.enum(['task', 'user-turn', 'milestone']), text: z.string() }).nullable(),
});
/** One action with what came of it. */
export type EpisodeStep = Readonly<z.infer<typeof episodeStepSchema>>;

export const episodeFactsSchema = z.object({
  /** The session's id, which names the episode. */
  id: z.string(),
  origin: z.enum(SESSION_ORIGINS),
  task: z.object({ name: z.string(), digest: digestSchema }),
  /** Its seed stays behind. */
  instance: z.object({ id: z.string(), digest: digestSchema, difficulty: z.string().nullable() }),
  labels: runLabelsSchema,
  artifactId: z.string().nullable(),
  end: sessionEndSchema,
  openedAt: z.date(),
  endedAt: z.date(),
  /** What is known outside of its instance: it was served for evaluation, or its seed was retired. */
  isEvaluated: z.boolean(),
  isRetired: z.boolean(),
  /** Newest of all, so that an amended verdict takes the place of the one before. */
  verdict: z.object({ id: z.string(), body: verdictBodySchema }).nullable(),
  decision: z.object({ id: z.string(), policy: digestSchema, body: decisionBodySchema }).nullable(),
  reward: z.object({ id: z.string(), body: rewardBodySchema }).nullable(),
  profile: z
    .object({ id: z.string(), p: z.number().nullable(), weight: z.number(), review: z.boolean(), reason: z.string() })
    .nullable(),
});
/** What is known of one ended session, without its steps. */
export type EpisodeFacts = Readonly<z.infer<typeof episodeFactsSchema>>;

/** One ended session with all that is known of it, joined by the session's id. */
export interface Episode extends EpisodeFacts {
  readonly steps: readonly EpisodeStep[];
  /** Whether steps were left out, because there are more than are read. */
  readonly isCut: boolean;
}

/** Whether a detector or a judge found that the subject was not honest. A note accuses nobody. */
export function isAccused({ verdict, decision }: Pick<EpisodeFacts, 'verdict' | 'decision'>): boolean {
  if (verdict === null) return false;
  const { integrity, signals } = verdict.body;
  const isFlagged = signals.some(({ severity }) => severity !== 'note');
  return integrity === 'violated' || integrity === 'suspect' || isFlagged || decision?.body.action === 'reject';
}
