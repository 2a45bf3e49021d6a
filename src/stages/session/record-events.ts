import type { RecordedEvent, StepRecord } from '../../platform/recorder/recorded-event.ts';
import { deniedCallName } from '../../platform/sandbox/denied-call-name.ts';
import type { RefusedCall } from '../../platform/sandbox/live-sandbox.ts';
import type { NewEvent } from './event.ts';

/** What was seen of one step, from both sources that nothing inside can reach. */
export interface Seen {
  readonly record: StepRecord;
  readonly refused: { readonly calls: readonly RefusedCall[]; readonly more: number };
  readonly step: number;
  readonly messageId: string | null;
  /** Only what began after this moment (epoch milliseconds): the rest is in the log already. */
  readonly sinceMs: number;
  /** Whether nothing of the step runs any more. */
  readonly isLast: boolean;
}

/** The events of a record in the order of their begin, and then what it is worth. */
export function eventsOf({ record, refused, step, messageId, sinceMs, isLast }: Seen): readonly NewEvent[] {
  const place = { step, messageId };
  const events = [...record.events, ...merge(refused.calls)]
    .filter(({ atMs }) => atMs > sinceMs)
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ type, atMs, outcome, ...detail }) => ({ ...place, type, at: new Date(atMs), outcome, detail }));
  const { backend, complete, problems, cut, misses, calls, processes, executed } = record;
  const worth = { backend, complete, problems, cut, misses, calls, processes, executed };
  const detail = { ...worth, events: events.length, refused: refused.calls.length + refused.more, is_last: isLast };
  const outcome = complete ? 'ok' : 'incomplete';
  return [...events, { ...place, type: 'step.recorded', at: new Date(), outcome, detail }];
}

/** Refused calls with the same arguments count as one. */
function merge(calls: readonly RefusedCall[]): readonly RecordedEvent[] {
  const merged = new Map<string, Extract<RecordedEvent, { type: 'call.refused' }>>();
  for (const { atMs, pid, number, args } of calls) {
    const call = deniedCallName(number);
    const key = JSON.stringify([call, args]);
    const known = merged.get(key) ?? {
      type: 'call.refused',
      outcome: 'refused',
      atMs,
      pid,
      call,
      args: [...args],
      count: 0,
    };
    merged.set(key, { ...known, count: known.count + 1 });
  }
  return [...merged.values()];
}
