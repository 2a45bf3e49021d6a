import { findSession } from '../stages/session/session-store.ts';
import { findLatestVerdict } from '../stages/verdict/verdict-store.ts';
import type { JobParts } from './job-parts.ts';
import { keepProfile } from './keep-profile.ts';
import { countSession } from './profile-session.ts';

/**
 * Makes the profile of the session that handed an artifact in, beside its cohort's reference. A hand-in without a session, or one
 * that could not be graded, has none.
 */
export async function profileStep(parts: JobParts, artifactId: string): Promise<void> {
  const { database, made } = parts;
  const sessionId = await parts.session();
  if (sessionId === null) return;
  const verdict = (made.verdict ?? (await findLatestVerdict(database, artifactId)))?.body ?? null;
  if (verdict === null || verdict.outcome === 'ungraded') return;
  const session = await findSession(database, sessionId);
  const { artifact, task, given } = await parts.submission();
  const ended = { session, task: task.name, instance: given, artifact, verdict };
  made.profile = await keepProfile(parts, await countSession(database, ended), artifactId);
}
