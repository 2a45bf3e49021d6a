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
  /** Denied calls up to this moment (epoch milliseconds) are in the log already. */
  readonly sinceMs: number;
  /** Whether nothing of the step runs any more. */
  readonly isLast: boolean;
}

/** The events of a record in the order of their begin, and then what it is worth. */
export function eventsOf({ record, refused, step, messageId, sinceMs, isLast }: Seen): readonly NewEvent[] {
  const place = { step, messageId };
  const newlyRefused = merge(refused.calls.filter(({ atMs }) => atMs > sinceMs));
  const events = [...record.events, ...newlyRefused]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ type, atMs, outcome, ...detail }) => ({ ...place, type, at: new Date(atMs), outcome, detail }));
  const { backend, complete, problems, cut, misses, calls, processes, executed } = record;
  const worth = { backend, complete, problems, cut, misses, calls, processes, executed };
  const detail = { ...worth, events: events.length, refused: refused.calls.length + refused.more, is_last: isLast };
  const outcome = worthOf(record);
  return [...events, { ...place, type: 'step.recorded', at: new Date(), outcome, detail }];
}

/** A record from which events were left off is no whole one, even if nothing was missed. */
function worthOf({ complete, cut }: StepRecord): 'ok' | 'cut' | 'incomplete' {
  if (!complete) return 'incomplete';
  return cut > 0 ? 'cut' : 'ok';
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
