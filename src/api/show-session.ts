import { z } from 'zod';
import type { SessionEvent } from '../stages/session/event.ts';
import { SESSION_ORIGINS, SESSION_OUTCOMES, type SessionRow } from '../stages/session/session.ts';
import type { StoredEnd } from '../stages/session/session-store.ts';

export const sessionSchema = z.object({
  session_id: z.string(),
  instance_id: z.string(),
  origin: z.enum(SESSION_ORIGINS),
  /** Null where it was told already. */
  instruction: z.string().nullable(),
  driver: z.string().nullable(),
  snapshot: z.object({ name: z.string(), digest: z.string(), pinned: z.boolean() }).nullable(),
  recorder: z.object({ backend: z.string(), version: z.string().nullable() }),
  budgets: z.object({
    steps: z.int().nullable(),
    active_ms: z.int(),
    output_bytes: z.int(),
    tokens: z.int().nullable(),
  }),
  created_at: z.string(),
});

/** A session as callers see it. */
export function showSession(row: SessionRow, instruction: string | null): z.infer<typeof sessionSchema> {
  const { driver, snapshot, recorder, budgets } = row.body;
  return {
    ...{ session_id: row.id, instance_id: row.instanceId, origin: row.origin, instruction, driver, snapshot, recorder },
    budgets: {
      steps: budgets.steps,
      active_ms: budgets.activeMs,
      output_bytes: budgets.outputBytes,
      tokens: budgets.tokens,
    },
    created_at: row.createdAt.toISOString(),
  };
}

export const endReplySchema = z.object({
  session_id: z.string(),
  /** What was handed in, to ask rewards for; null: nothing. */
  submission_id: z.string().nullable(),
  outcome: z.enum(SESSION_OUTCOMES),
  fault: z.string(),
  reason: z.string().nullable(),
  /** Whether the same may go well on another try. */
  retry: z.boolean(),
  steps: z.int(),
  events: z.int(),
  log: z.string(),
  archive: z.string(),
});

/** How a session ended, as callers see it. */
export function showEnd(id: string, { artifactId, body }: StoredEnd): z.infer<typeof endReplySchema> {
  return { session_id: id, submission_id: artifactId, ...body };
}

export const eventSchema = z.object({
  seq: z.int(),
  type: z.string(),
  at: z.string(),
  step: z.int().nullable(),
  message_id: z.string().nullable(),
  outcome: z.string(),
  detail: z.record(z.string(), z.unknown()),
  digest: z.string(),
});

/** An event of the log, as callers see it. */
export function showEvent({ at, messageId, ...event }: SessionEvent): z.infer<typeof eventSchema> {
  return { ...event, at: at.toISOString(), message_id: messageId };
}
