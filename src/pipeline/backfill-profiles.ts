import { ProctorError } from '../platform/base/errors.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import { type Between, listEnded, MOST_SESSIONS } from '../stages/session/session-list-store.ts';
import { findSessionEnd } from '../stages/session/session-store.ts';
import { type KeepParts, keepProfile } from './keep-profile.ts';
import { profileSession } from './profile-session.ts';

/** What came of a backfill. */
export interface Backfilled {
  readonly profiled: number;
  /** Sessions that cannot be made out any more. */
  readonly unreadable: number;
}

/**
 * Makes profiles of a task's ended sessions beside its newest reference: of those that ended before there was one, or that handed
 * nothing in. What is there stays; it can be stopped and begun again.
 */
export async function backfillProfiles(
  parts: KeepParts & { readonly blobs: Blobs },
  { task, since, until }: { readonly task: string } & Between,
  onSession: (done: number, of: number) => void = () => undefined,
): Promise<Backfilled> {
  const ids = await listEnded(parts.database, { task, since, until, limit: MOST_SESSIONS });
  let unreadable = 0;
  for (const [index, id] of ids.entries()) {
    await profileOne(parts, id).catch((thrown) => {
      if (!(thrown instanceof ProctorError) || thrown.fault === 'platform') throw thrown;
      unreadable += 1;
    });
    onSession(index + 1, ids.length);
  }
  return { profiled: ids.length - unreadable, unreadable };
}

async function profileOne(parts: KeepParts & { readonly blobs: Blobs }, id: string): Promise<void> {
  const profiled = await profileSession(parts, id);
  const end = await findSessionEnd(parts.database, id);
  await keepProfile(parts, profiled, end?.artifactId ?? null);
}
