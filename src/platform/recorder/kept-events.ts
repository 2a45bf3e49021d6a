import { KeptKind } from './kept-kind.ts';
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
const KINDS = Object.keys(SHARES) as readonly (keyof typeof SHARES)[];
type Kind = keyof typeof SHARES | 'misses';

/** How many failed look-ups are kept. */
const MAX_MISSES = 200;

const DENIALS = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Keeps events within a bound. Equal ones are merged and counted. Half of the places are for executions,
 * network, signals, refused calls and denied file accesses; each kind can only use its own.
 */
export class KeptEvents {
  readonly #kinds: ReadonlyMap<Kind, KeptKind>;

  constructor(maxEvents: number) {
    const places = KINDS.map((kind) => [kind, Math.max(1, Math.floor(maxEvents * SHARES[kind]))] as const);
    const misses = ['misses', Math.min(MAX_MISSES, Math.ceil(maxEvents / 8))] as const;
    this.#kinds = new Map<Kind, KeptKind>([...places, misses].map(([kind, count]) => [kind, new KeptKind(count)]));
  }

  /** Keeps the event, or counts it to an equal one; an older one may lose its place to it. */
  add(event: RecordedEvent): void {
    this.#kinds.get(kindOf(event))?.add(event, mergeKey(event));
  }

  /** How many events were given up. */
  get cut(): number {
    return KINDS.reduce((sum, kind) => sum + (this.#kinds.get(kind)?.cut ?? 0), 0);
  }

  /** How many failed look-ups were given up. */
  get misses(): number {
    return this.#kinds.get('misses')?.cut ?? 0;
  }

  /** The kept events in the order of their start. */
  list(): RecordedEvent[] {
    return [...this.#kinds.values()].flatMap((kind) => kind.list()).toSorted((one, other) => one.atMs - other.atMs);
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
      return JSON.stringify([type, outcome, event.path, event.argvCut, event.argv]);
    case 'process.ended':
      return null;
    case 'network.connect':
    case 'network.bind':
    case 'network.sent':
      return JSON.stringify([type, outcome, event.family, event.address, event.port]);
    case 'signal.sent':
      return JSON.stringify([type, outcome, event.pid, event.target, event.signal, event.descriptor]);
    case 'call.refused':
      return JSON.stringify([type, outcome, event.call, event.args]);
    default:
      return JSON.stringify([type, outcome, event.path, 'to' in event ? event.to : null]);
  }
}
