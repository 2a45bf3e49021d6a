import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** What can be told. */
export const WEBHOOK_EVENTS = ['reward.final', 'reward.amended', 'run.paused', 'run.alarm'] as const;

export const webhookSchema = z.object({
  id: z.string(),
  url: z.string(),
  /** Only what belongs to this run; null: everything. */
  run: z.string().nullable(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  createdAt: z.date(),
});
/** Who is told of what; without its secret. */
export type Webhook = Readonly<z.infer<typeof webhookSchema>>;

export const dueMessageSchema = z.object({
  id: z.string(),
  url: z.string(),
  secret: z.string(),
  body: z.unknown(),
  /** Tries, this one among them. */
  tries: z.int(),
  ageSeconds: z.number(),
});
/** A message that is to be sent now. */
export type DueMessage = Readonly<z.infer<typeof dueMessageSchema>>;

/** A secret in the form of the Standard Webhooks specification: `whsec_` and base64 of 256 random bits. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The headers by which a receiver knows who sent a message (Standard Webhooks 1.0): HMAC-SHA256 of `id.timestamp.body`. */
export function signatureHeaders(
  { id, secret }: Pick<DueMessage, 'id' | 'secret'>,
  body: string,
  atSeconds: number,
): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': `v1,${signature}` };
}
