import type { RecordedEvent } from './recorded-event.ts';

/** Kinds of events and their shares of the bound: each has its own places, so that a flood of one kind hides no other. */
const SHARES = {
  executions: 0.2,
  denied: 0.15,
  network: 0.1,
  signals: 0.05,
  changes: 0.25,
  reads: 0.2,
  ends: 0.05,
} as const;
type Kind = keyof typeof SHARES | 'misses';

interface Kept {
  readonly event: RecordedEvent;
  count: number;
}

/** How many failed look-ups are kept. */
const MAX_MISSES = 200;

const DENIALS = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Keeps events within a bound. Equal ones are merged and counted. Half of the places are for executions,
 * network, signals, refused calls and denied file accesses; each kind can only use its own.
 */
export class KeptEvents {
  readonly #places: ReadonlyMap<Kind, number>;
  readonly #held = new Map<Kind, number>();
  readonly #merged = new Map<string, Kept>();
  readonly #events: Kept[] = [];
  /** Events that found no place. */
  cut = 0;
  /** Failed look-ups that found no place. */
  misses = 0;

  constructor(maxEvents: number) {
    const shares = Object.entries(SHARES) as readonly (readonly [keyof typeof SHARES, number])[];
    const places = shares.map(([kind, share]) => [kind, Math.max(1, Math.floor(maxEvents * share))] as const);
    this.#places = new Map<Kind, number>([...places, ['misses', Math.min(MAX_MISSES, Math.ceil(maxEvents / 8))]]);
  }

  /** Keeps the event, counts it to an equal one, or counts it as cut. */
  add(event: RecordedEvent): void {
    const key = mergeKey(event);
    const equal = key === null ? undefined : this.#merged.get(key);
    if (equal !== undefined) {
      equal.count += 1;
      return;
    }
    const kind = kindOf(event);
    const held = this.#held.get(kind) ?? 0;
    if (held >= (this.#places.get(kind) ?? 0)) {
      if (kind === 'misses') this.misses += 1;
      else this.cut += 1;
      return;
    }
    this.#held.set(kind, held + 1);
    const own = { event, count: 1 };
    this.#events.push(own);
    if (key !== null) this.#merged.set(key, own);
  }

  /** The kept events in the order of their start. */
  list(): RecordedEvent[] {
    return this.#events
      .map(({ event, count }) => ('count' in event ? { ...event, count } : event))
      .toSorted((one, other) => one.atMs - other.atMs);
  }
}

function kindOf(event: RecordedEvent): Kind {
  if (event.type === 'process.executed') return event.outcome === 'ENOENT' ? 'misses' : 'executions';
  if (event.type === 'process.ended') return 'ends';
  if (event.type === 'signal.sent' || event.type === 'call.refused') return 'signals';
  if (event.type.startsWith('network.')) return 'network';
  if (DENIALS.has(event.outcome)) return 'denied';
  if (event.type !== 'file.read') return 'changes';
  return event.outcome === 'ENOENT' ? 'misses' : 'reads';
}

/** Equal keys are merged; null for events that each stand alone. JSON, so that no text can reach into another part. */
function mergeKey(event: RecordedEvent): string | null {
  const { type, outcome } = event;
  switch (event.type) {
    case 'process.executed':
    case 'process.ended':
      return null;
    case 'network.connect':
    case 'network.bind':
    case 'network.sent':
      return JSON.stringify([type, outcome, event.family, event.address, event.port]);
    case 'signal.sent':
      return JSON.stringify([type, outcome, event.pid, event.target, event.signal]);
    case 'call.refused':
      return JSON.stringify([type, outcome, event.call, event.args]);
    default:
      return JSON.stringify([type, outcome, event.path, 'to' in event ? event.to : null]);
  }
}
