import type { Database } from '../../platform/db/database.ts';
import type { ReadyReference } from './make-profile.ts';
import { listRecentP } from './profile-store.ts';
import { openReference } from './reference.ts';
import { findReferenceDigest, loadReference } from './reference-store.ts';
import { gateThreshold } from './weight.ts';

/** How long a cohort's newest reference and gate are taken for the newest, in milliseconds. */
const FRESH_MS = 10_000;
/** Cohorts that are kept ready; a reference of 4,096 sessions takes a few megabytes. */
const MOST_COHORTS = 64;

/** What sessions of a cohort are compared with. */
export interface Cohort {
  readonly reference: ReadyReference | null;
  /** The largest p-value that is acted on. */
  readonly gate: number;
}

/** Cohorts, kept ready so that a session is scored without reading its reference again. */
export interface Cohorts {
  /**
   * The reference for sessions of a task that were made by a policy: that policy's own, else the newest of the task. A new one takes
   * the old one's place as a whole.
   */
  of(task: string, window: string | null): Promise<Cohort>;
}

export function openCohorts(database: Database): Cohorts {
  const kept = new Map<string, { readonly untilMs: number; readonly cohort: Promise<Cohort> }>();
  const references = new Map<string, Promise<ReadyReference>>();
  const load = async (task: string, window: string | null): Promise<Cohort> => {
    const digest =
      (window === null ? null : await findReferenceDigest(database, task, window)) ??
      (await findReferenceDigest(database, task, null));
    if (digest === null) return { reference: null, gate: 0 };
    const opening = references.get(digest) ?? readReference(database, digest);
    keep(references, digest, opening);
    opening.catch(() => references.delete(digest));
    return { reference: await opening, gate: gateThreshold(await listRecentP(database, task, digest)) };
  };
  return {
    of(task, window) {
      const key = JSON.stringify([task, window]);
      const known = kept.get(key);
      if (known !== undefined && performance.now() < known.untilMs) return known.cohort;
      const cohort = load(task, window);
      keep(kept, key, { untilMs: performance.now() + FRESH_MS, cohort });
      cohort.catch(() => kept.delete(key));
      return cohort;
    },
  };
}

/** Keeps the newest `MOST_COHORTS`. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_COHORTS && oldest !== undefined) map.delete(oldest);
}

async function readReference(database: Database, digest: string): Promise<ReadyReference> {
  const { stored, reference } = await loadReference(database, digest);
  return { digest: stored.digest, window: stored.window, open: openReference(reference) };
}
