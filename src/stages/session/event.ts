import { z } from 'zod';
import { type Digest, digestOfJson, digestSchema } from '../../platform/base/digest.ts';

/** One event before it has its place in the log. */
export interface NewEvent {
  /** `noun.verb`, past tense. */
  readonly type: string;
  /** When it began. */
  readonly at: Date;
  /** The step it belongs to, from 1; null: none. */
  readonly step: number | null;
  /** The id that the harness gave to the agent's message. */
  readonly messageId: string | null;
  /** `ok`, or what came of it in one word (`timed-out`, `EPERM`, `refused` …). */
  readonly outcome: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export const sessionEventSchema = z.object({
  seq: z.int().min(1),
  type: z.string(),
  at: z.date(),
  step: z.int().nullable(),
  messageId: z.string().nullable(),
  outcome: z.string(),
  detail: z.record(z.string(), z.unknown()),
  digest: digestSchema,
});

/** One event of a session's log. `digest` binds it to its session and to all events before it. */
export type SessionEvent = Readonly<z.infer<typeof sessionEventSchema>>;

/** The end of a log: what the next event follows. */
export interface LogEnd {
  readonly seq: number;
  readonly digest: Digest | null;
}

/** Types of events after which there is none. */
export const LAST_EVENTS: readonly string[] = ['session.finished', 'session.abandoned', 'session.failed'];

/** Where every log begins. */
export const EMPTY_LOG: LogEnd = { seq: 0, digest: null };

/** An event in its place after `end`: its digest covers the session, its own words and the digest before it. */
export function follow(sessionId: string, end: LogEnd, event: NewEvent): SessionEvent {
  const seq = end.seq + 1;
  return { ...event, seq, digest: digestOfEvent(sessionId, end.digest, { ...event, seq }) };
}

/** The first event whose digest is not that of its words and its predecessor, by number; null when the whole log holds. */
export function firstBroken(sessionId: string, events: readonly SessionEvent[]): number | null {
  let end: LogEnd = EMPTY_LOG;
  for (const event of events) {
    const holds = event.seq === end.seq + 1 && event.digest === digestOfEvent(sessionId, end.digest, event);
    if (!holds) return event.seq;
    end = { seq: event.seq, digest: event.digest };
  }
  return null;
}

function digestOfEvent(
  sessionId: string,
  previous: Digest | null,
  { seq, type, at, step, messageId, outcome, detail }: NewEvent & { readonly seq: number },
): Digest {
  const words = { seq, type, at: at.toISOString(), step, messageId, outcome, detail };
  return digestOfJson({ format: 'proctor/event/1', session: sessionId, previous, ...words });
}
