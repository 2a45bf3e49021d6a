import { messageOf } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import { plainText } from '../platform/base/plain-text.ts';
import type { Queryable } from '../platform/db/database.ts';
import { type OutsidePost, postOutside } from '../platform/egress/post-outside.ts';
import { type DueMessage, signatureHeaders } from '../stages/reward/webhook.ts';
import { claimMessages, settleMessage } from '../stages/reward/webhook-store.ts';

const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 20;
const TIMEOUT_MS = 10_000;
/** Longer than a try may take, so that no living process's message is taken by another. */
const LEASE_SECONDS = 60;
const FIRST_DELAY_SECONDS = 5;
const LONGEST_DELAY_SECONDS = 3_600;
/** After that a message is given up. */
const LAST_TRY_SECONDS = 86_400;

/** What deliveries are made with; `post` and `everyMs` are for tests. */
export interface DeliveryParts {
  readonly database: Queryable;
  readonly log: Log;
  /** Hosts that may be reached inside; see `platform/egress/post-outside.ts`. */
  readonly allow: readonly string[];
  readonly post?: (message: OutsidePost) => Promise<number>;
  readonly everyMs?: number;
}

/** Delivers what is due from time to time, whichever process it was queued by; gives the function that stops it and waits for what runs. */
export function startDelivery(parts: DeliveryParts): () => Promise<void> {
  let running: Promise<unknown> | null = null;
  const look = () => {
    running ??= deliverDue(parts)
      .catch((err) => parts.log.warn({ err }, 'webhooks were not delivered; they stay due'))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(look, parts.everyMs ?? LOOK_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Delivers what is due now, until nothing is; gives how many tries were made. */
export async function deliverDue(parts: DeliveryParts): Promise<number> {
  for (let tries = 0; ; ) {
    const due = await claimMessages(parts.database, { limit: AT_ONCE, leaseSeconds: LEASE_SECONDS });
    if (due.length === 0) return tries;
    tries += due.length;
    await Promise.all(due.map((message) => deliver(parts, message)));
  }
}

async function deliver(
  { database, log, allow, post = postOutside }: DeliveryParts,
  message: DueMessage,
): Promise<void> {
  const body = JSON.stringify(message.body);
  const headers = {
    ...signatureHeaders(message, body, Math.floor(Date.now() / 1000)),
    ...{ 'content-type': 'application/json', 'user-agent': 'proctor' },
  };
  const answer = await post({ url: message.url, headers, body, timeoutMs: TIMEOUT_MS, allow }).catch(messageOf);
  const delivered = typeof answer === 'number' && answer >= 200 && answer < 300;
  const againSeconds = delivered ? null : delayOf(message);
  if (!delivered && againSeconds === null) log.warn({ id: message.id, answer }, 'a webhook message was given up');
  await settleMessage(database, message.id, { delivered, answer: plainText(String(answer), 300), againSeconds });
}

/** When a message that failed is tried again; null when its day is over. */
function delayOf({ tries, ageSeconds }: DueMessage): number | null {
  const delay = Math.min(FIRST_DELAY_SECONDS * 3 ** (tries - 1), LONGEST_DELAY_SECONDS) * (1 + Math.random() * 0.2);
  return ageSeconds + delay > LAST_TRY_SECONDS ? null : delay;
}
