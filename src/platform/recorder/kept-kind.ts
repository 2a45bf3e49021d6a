import type { RecordedEvent } from './recorded-event.ts';

interface Kept {
  readonly event: RecordedEvent;
  readonly key: string | null;
  count: number;
}

/**
 * The events of one kind: the first ones for good, and of the others the newest, so that neither the beginning nor what
 * came last can be flooded out. Equal ones take one place, with the time of the first.
 */
export class KeptKind {
  readonly #firstPlaces: number;
  readonly #newestPlaces: number;
  readonly #first: Kept[] = [];
  readonly #newest: Kept[] = [];
  readonly #merged = new Map<string, Kept>();
  /** Where in the ring of the newest the oldest stands, once it is full. */
  #oldest = 0;
  /** How many events were given up, each of the merged ones too. */
  cut = 0;

  constructor(places: number) {
    this.#newestPlaces = Math.floor(places / 2);
    this.#firstPlaces = places - this.#newestPlaces;
  }

  /** Keeps the event, or counts it to one with the same key. */
  add(event: RecordedEvent, key: string | null): void {
    const equal = key === null ? undefined : this.#merged.get(key);
    if (equal !== undefined) {
      equal.count += 1;
      return;
    }
    const own = { event, key, count: 1 };
    if (!this.#place(own)) this.cut += 1;
    else if (key !== null) this.#merged.set(key, own);
  }

  /** What is kept. */
  list(): readonly RecordedEvent[] {
    const all = [...this.#first, ...this.#newest];
    return all.map(({ event, count }) => ('count' in event ? { ...event, count } : event));
  }

  #place(own: Kept): boolean {
    if (this.#first.length < this.#firstPlaces) this.#first.push(own);
    else if (this.#newest.length < this.#newestPlaces) this.#newest.push(own);
    else if (this.#newestPlaces === 0) return false;
    else this.#replaceOldest(own);
    return true;
  }

  #replaceOldest(own: Kept): void {
    const old = this.#newest[this.#oldest];
    if (old !== undefined) {
      this.cut += old.count;
      if (old.key !== null) this.#merged.delete(old.key);
    }
    this.#newest[this.#oldest] = own;
    this.#oldest = (this.#oldest + 1) % this.#newestPlaces;
  }
}
