import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type DueMessage, dueMessageSchema, type WEBHOOK_EVENTS, type Webhook, webhookSchema } from './webhook.ts';

type EventType = (typeof WEBHOOK_EVENTS)[number];

const MESSAGE_ID = "'msg_' || replace(gen_random_uuid()::text, '-', '')";
const NOW = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL: writes the messages about a reward to all webhooks that want them. `source` has a column `artifact_id`; `type` is an SQL text. What was
 * earned is not in them: it is collected with a key, and an audit or a pause may keep it back.
 */
export function rewardMessages(source: string, type: string): string {
  return `INSERT INTO webhook_messages (id, webhook_id, type, body)
    SELECT ${MESSAGE_ID}, w.id, ${type}, jsonb_build_object('type', ${type}, 'timestamp', ${NOW}, 'data', jsonb_build_object(
      'submission_id', a.id, 'run_id', a.run_id, 'group_id', a.labels->>'group', 'step', a.labels->'step',
      'reward_uri', '/v1/rewards/' || a.id))
    FROM ${source} s JOIN artifacts a ON a.id = s.artifact_id
    JOIN webhooks w ON w.ended_at IS NULL AND ${type} = ANY (w.events) AND (w.run_id IS NULL OR w.run_id = a.run_id)`;
}

/**
 * Tells the webhooks that the reward of a hand-in is another one now; call it in the transaction that stores that one. That a first reward
 * is there is told by who stores it (`saveReward`).
 */
export async function queueRewardEvent(
  transaction: Queryable,
  { artifactId }: { readonly artifactId: string },
): Promise<void> {
  await transaction.query(rewardMessages('(SELECT $1::text AS artifact_id)', "'reward.amended'::text"), [artifactId]);
}

/** Tells the webhooks of something about a run; call it in the transaction that stores it. */
export async function queueRunEvent(
  transaction: Queryable,
  event: {
    readonly type: EventType & `run.${string}`;
    readonly run: string;
    readonly data: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await transaction.query(
    `INSERT INTO webhook_messages (id, webhook_id, type, body)
     SELECT ${MESSAGE_ID}, w.id, $1::text, jsonb_build_object('type', $1::text, 'timestamp', ${NOW}, 'data', $3::jsonb)
     FROM webhooks w WHERE w.ended_at IS NULL AND $1::text = ANY (w.events) AND (w.run_id IS NULL OR w.run_id = $2)`,
    [event.type, event.run, jsonParameter({ run_id: event.run, ...event.data })],
  );
}

/** Webhooks of one key at a time: each is a row for every reward. */
const MOST_WEBHOOKS = 100;

/** Enters a webhook. `conflict` when its key has {@link MOST_WEBHOOKS} already. */
export async function saveWebhook(
  database: Queryable,
  webhook: Pick<Webhook, 'id' | 'url' | 'run' | 'events'> & { readonly keyId: string; readonly secret: string },
): Promise<void> {
  const { id, keyId, url, run, events, secret } = webhook;
  const entered = await database.query(
    `INSERT INTO webhooks (id, key_id, url, run_id, events, secret) SELECT $1, $2::text, $3, $4, $5::text[], $6
     WHERE (SELECT count(*) FROM webhooks WHERE key_id = $2::text AND ended_at IS NULL) < ${MOST_WEBHOOKS} RETURNING 1`,
    [id, keyId, url, run, events, secret],
  );
  if (entered.length > 0) return;
  throw new ProctorError('conflict', `this key has ${MOST_WEBHOOKS} webhooks; end one first`);
}

const listedSchema = webhookSchema.extend({
  due: z.int(),
  delivered: z.int(),
  givenUp: z.int(),
  /** What was answered to the newest message that was given up or is tried again; null: nothing is wrong. */
  lastFailure: z.string().nullable(),
});
/** A webhook with what became of its messages. */
export type ListedWebhook = Readonly<z.infer<typeof listedSchema>>;

/** Webhooks that have not ended, oldest first; those of one key, or of all where it is null. */
export async function listWebhooks(database: Queryable, keyId: string | null): Promise<readonly ListedWebhook[]> {
  const rows = await database.query(
    `SELECT w.id, w.url, w.run_id AS run, w.events, w.created_at AS "createdAt", m.*
     FROM webhooks w LEFT JOIN LATERAL (
       SELECT count(*) FILTER (WHERE state = 'due')::int AS due,
              count(*) FILTER (WHERE state = 'delivered')::int AS delivered,
              count(*) FILTER (WHERE state = 'given-up')::int AS "givenUp",
              (array_agg(last_answer ORDER BY created_at DESC)
                FILTER (WHERE state <> 'delivered' AND last_answer IS NOT NULL))[1] AS "lastFailure"
       FROM webhook_messages WHERE webhook_id = w.id
     ) m ON true
     WHERE w.ended_at IS NULL AND ($1::text IS NULL OR w.key_id = $1) ORDER BY w.created_at, w.id`,
    [keyId],
  );
  return rows.map((row) => listedSchema.parse(row));
}

/** Ends a webhook (of a key, or of any where it is null): what is due for it is told no more. `not-found`. */
export async function endWebhook(database: Queryable, id: string, keyId: string | null): Promise<void> {
  const ended = await database.query(
    `UPDATE webhooks SET ended_at = now() WHERE id = $1 AND ended_at IS NULL AND ($2::text IS NULL OR key_id = $2)
     RETURNING 1`,
    [id, keyId],
  );
  if (ended.length === 0) throw new ProctorError('not-found', `no webhook ${JSON.stringify(id)}`);
  await database.query(
    `UPDATE webhook_messages SET state = 'given-up', last_answer = 'the webhook was ended', settled_at = now()
     WHERE webhook_id = $1 AND state = 'due'`,
    [id],
  );
}

/**
 * Takes messages that are due. For `leaseSeconds` nobody else takes them; then they are due again, so that what a process that died had
 * taken is sent by another one, under the same id.
 */
export async function claimMessages(
  database: Queryable,
  { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
): Promise<readonly DueMessage[]> {
  const rows = await database.query(
    `UPDATE webhook_messages m SET tries = m.tries + 1, due_at = now() + make_interval(secs => $2)
     FROM webhooks w
     WHERE w.id = m.webhook_id AND m.id IN (
       SELECT id FROM webhook_messages WHERE state = 'due' AND due_at <= now() ORDER BY due_at LIMIT $1
       FOR UPDATE SKIP LOCKED
     )
     RETURNING m.id, w.url, w.secret, m.body, m.tries, extract(epoch FROM now() - m.created_at)::float8 AS "ageSeconds"`,
    [limit, leaseSeconds],
  );
  return rows.map((row) => dueMessageSchema.parse(row));
}

/** What became of a try: `againSeconds` null ends it, as delivered or given up. */
export async function settleMessage(
  database: Queryable,
  id: string,
  told: { readonly delivered: boolean; readonly answer: string; readonly againSeconds: number | null },
): Promise<void> {
  const state = told.delivered ? 'delivered' : told.againSeconds === null ? 'given-up' : 'due';
  await database.query(
    `UPDATE webhook_messages SET state = $2, last_answer = $3, due_at = now() + make_interval(secs => $4),
            settled_at = CASE WHEN $2 = 'due' THEN NULL ELSE now() END
     WHERE id = $1 AND state = 'due'`,
    [id, state, told.answer, told.againSeconds ?? 0],
  );
}
