import { canonicalJson } from '../base/canonical-json.ts';
import type { Sandbox, SandboxDriver, SandboxSpec } from './sandbox.ts';
import { whenDestroyed } from './when-destroyed.ts';

/**
 * Makes sandboxes of kinds that were asked for before there is a next call, at most `most` of them together. Each serves once. They
 * are made when an earlier one is done: while it is in use they would take its processors.
 */
export function withWarmPool<Driver extends SandboxDriver>(driver: Driver, { most }: { most: number }): Driver {
  const waiting = openWaiting(most);
  let isClosed = false;
  const leaving = new Set<Promise<void>>();
  const refill = (kind: string, spec: SandboxSpec) => {
    while (!isClosed && waiting.hasRoomFor(kind)) waiting.add(kind, driver.create(spec));
  };
  return {
    ...driver,
    async create(spec) {
      const kind = canonicalJson(spec);
      const [taken, left] = waiting.take(kind);
      for (const old of left) {
        const going = discard(old).finally(() => leaving.delete(going));
        leaving.add(going);
      }
      const made = (await taken?.catch(() => null)) ?? (await driver.create(spec));
      return whenDestroyed(made, () => refill(kind, spec));
    },
    async close() {
      isClosed = true;
      await Promise.allSettled([...waiting.all(), ...leaving]);
      await driver.close(); // and with it those that wait
    },
  };
}

function discard(unused: Promise<Sandbox>): Promise<void> {
  return unused.then((sandbox) => sandbox.destroy()).catch(() => undefined); // its driver's close tries again
}

/** Sandboxes that wait, by kind; kinds that were asked for last come last. */
function openWaiting(most: number) {
  const kinds = new Map<string, Promise<Sandbox>[]>();
  const share = () => Math.max(1, Math.floor(most / kinds.size));
  return {
    /** One of a kind, if there is one, and those that no longer have a place because this kind was asked for. */
    take(kind: string): readonly [Promise<Sandbox> | undefined, readonly Promise<Sandbox>[]] {
      const ofKind = kinds.get(kind) ?? [];
      kinds.delete(kind);
      kinds.set(kind, ofKind);
      const left: Promise<Sandbox>[] = [];
      for (const [other, sandboxes] of kinds) {
        if (kinds.size > most && other !== kind) kinds.delete(other);
        left.push(...sandboxes.splice(kinds.has(other) ? share() : 0));
      }
      return [ofKind.shift(), left];
    },
    hasRoomFor: (kind: string) => (kinds.get(kind)?.length ?? most) < Math.min(share(), most),
    add(kind: string, made: Promise<Sandbox>) {
      made.catch(() => undefined); // who takes it tries anew
      kinds.get(kind)?.push(made);
    },
    all: () => [...kinds.values()].flat(),
  };
}
