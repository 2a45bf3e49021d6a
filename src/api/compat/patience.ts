import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

interface Patience {
  /** After this the client gives the call up; null: it waits for ever. From its own source. */
  readonly clientMs: number | null;
  /** After this the call is answered, whatever is known by then. */
  readonly answerMs: number;
}

/** How long the clients of each format wait, and when they are answered: always before they give up. */
export const PATIENCE = {
  /** `aiohttp.ClientTimeout(total=180)` in `openrlhf/utils/agent.py`. */
  openrlhf: { clientMs: 180_000, answerMs: 150_000 },
  /** `aiohttp.ClientTimeout(total=120)` in `slime/rollout/rm_hub/__init__.py`. */
  slime: { clientMs: 120_000, answerMs: 100_000 },
  /** NeMo Gym’s own client has no time limit. */
  'nemo-gym': { clientMs: null, answerMs: 540_000 },
  /** `request_timeout` of `verifiers/v1/tasksets/nemo_gym/taskset.py`. */
  verifiers: { clientMs: 60_000, answerMs: 50_000 },
  /** `compile_timeout + run_timeout + 10` seconds in verl’s client, with 10 for each by default. */
  'sandbox-fusion': { clientMs: 30_000, answerMs: 25_000 },
  /** `message_timeout_s` of `openenv/core/env_client.py`. */
  openenv: { clientMs: 60_000, answerMs: 50_000 },
} as const satisfies Record<string, Patience>;

/** A wire format that is offered. */
export type CompatFormat = keyof typeof PATIENCE;

const LONGEST_MS = 600_000;

const wishSchema = z.coerce.number().int().min(1).max(LONGEST_MS);

/**
 * When a call is to be answered (`performance.now()`): `?deadline_ms=` or the header `x-proctor-deadline-ms` say it for clients whose time
 * limit was changed; what is no such number counts as not said.
 */
export function deadlineOf(request: FastifyRequest, format: CompatFormat): number {
  const { deadline_ms: asked = request.headers['x-proctor-deadline-ms'] } = request.query as { deadline_ms?: unknown };
  const wish = wishSchema.safeParse(asked);
  return performance.now() + (wish.success ? wish.data : PATIENCE[format].answerMs);
}
