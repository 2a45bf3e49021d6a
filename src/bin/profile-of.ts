import type { Database } from '../platform/db/database.ts';
import type { Behaviour } from '../stages/profile/behaviour.ts';
import { makeProfile } from '../stages/profile/make-profile.ts';
import { openReference } from '../stages/profile/reference.ts';
import { findReference } from '../stages/profile/reference-store.ts';
import { type ShownProfile, valuesOf } from './print-profile.ts';

/** A session whose profile is to be shown. */
export interface Shown {
  readonly session: string;
  readonly task: string;
  readonly behaviour: Behaviour;
  readonly isRecorded: boolean;
  /** Whether something else than statistics accuses it. */
  readonly isCorroborated: boolean;
}

/** The profile of a session beside the newest reference of its task, of a policy window or of any. */
export async function profileOf(database: Database, shown: Shown, window: string | undefined): Promise<ShownProfile> {
  const { session, task, behaviour, isRecorded, isCorroborated } = shown;
  const known = { session, task, isRecorded, features: valuesOf(behaviour) };
  const found = await findReference(database, task, window ?? null);
  if (found === null) return { ...known, reference: null, score: null };
  const { stored } = found;
  const reference = { digest: stored.digest, window: stored.window, open: openReference(found.reference) };
  // without the cohort's recent sessions there is no gate to open: what is odd is for people
  const { p, testP, weight, review, reason, explanation } = makeProfile({
    ...{ cohort: task, window: stored.window, behaviour, isRecorded, reference, group: [], gate: 0, isCorroborated },
  });
  return { ...known, reference: stored, score: { p, testP, weight, review, reason, explanation } };
}
