import { Readable } from 'node:stream';
import { ProctorError } from '../platform/base/errors.ts';
import type { Sibling } from '../stages/reward/sibling-store.ts';
import { type AnsweredItem, answerItem, type RewardCall } from './answer-item.ts';
import type { ApiParts } from './api-parts.ts';
import { storedSiblings, withFallback } from './reward-groups.ts';
import { pendingItem, type RewardItem, withGroups } from './reward-item.ts';
import { type FALLBACKS, idOnlySchema } from './reward-request.ts';

/** What a streamed call asks for. */
interface Streamed {
  readonly items: readonly unknown[];
  readonly fallback: (typeof FALLBACKS)[number];
}

/**
 * The answer for a batch as JSON Lines (media type application/x-ndjson): one line for each item as it is settled, with its `index` in the
 * request and what is known of its group by then, and a last line `{"summary": {"items", "statuses", "groups"}}`. Who reads slowly is
 * waited for; who is gone is not: then the waiting ends, and the work goes on.
 */
export function streamRewards(parts: ApiParts, { items, fallback }: Streamed, call: RewardCall): Readable {
  return Readable.from(lines(parts, { items, fallback }, call), { objectMode: false });
}

async function* lines(parts: ApiParts, { items, fallback }: Streamed, call: RewardCall): AsyncGenerator<string> {
  const gone = new AbortController();
  const settled = settling(parts, items, { ...call, signal: gone.signal });
  const answered: AnsweredItem[] = [];
  const statuses: Record<string, number> = {};
  const earlier = new Map<string, readonly Sibling[]>();
  try {
    for await (const { index, item } of settled) {
      answered.push(item);
      // what earlier calls brought is read once for each group; the summary looks again
      if (item.groupId !== null && !earlier.has(item.groupId)) {
        for (const [group, siblings] of await storedSiblings(parts, call.labels.run, [item]))
          earlier.set(group, siblings);
      }
      const whole = withFallback(withGroups(answered, earlier).at(-1) as RewardItem, fallback);
      statuses[whole.status] = (statuses[whole.status] ?? 0) + 1;
      yield `${JSON.stringify({ index, ...whole })}\n`;
    }
    const stored = await storedSiblings(parts, call.labels.run, answered);
    const wholes = withGroups(answered, stored);
    const groups = Object.fromEntries(
      answered.flatMap(({ groupId }, place) => (groupId === null ? [] : [[groupId, wholes[place]?.group]])),
    );
    yield `${JSON.stringify({ summary: { items: items.length, statuses, groups } })}\n`;
  } finally {
    gone.abort();
  }
}

/** Items in the order in which they are settled. */
async function* settling(parts: ApiParts, items: readonly unknown[], call: RewardCall) {
  const done: { index: number; item: AnsweredItem }[] = [];
  let wake = () => {};
  for (const [index, raw] of items.entries()) {
    void answerItem(parts, raw, { ...call, place: index })
      .catch((thrown) => refused(raw, thrown))
      .then((item) => {
        done.push({ index, item });
        wake();
      });
  }
  for (let given = 0; given < items.length; given++) {
    if (done[given] === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    yield done[given] as { index: number; item: AnsweredItem };
  }
}

/** What found no room in the queue is to be asked for again: the answer has begun, so the call as a whole cannot be refused any more. */
function refused(raw: unknown, thrown: unknown): AnsweredItem {
  const { id = '', group_id: groupId = null } = idOnlySchema.safeParse(raw).data ?? {};
  const reason = thrown instanceof ProctorError ? thrown.message : 'there was no room for it';
  return { ...pendingItem(id, { kind: 'proctor:queue-full', reason }), groupId, latency_ms: 0 };
}
