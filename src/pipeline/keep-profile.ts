import type { Database } from '../platform/db/database.ts';
import { makeProfile } from '../stages/profile/make-profile.ts';
import type { Cohorts } from '../stages/profile/open-cohorts.ts';
import { type ProfileRow, shapeFrom } from '../stages/profile/profile.ts';
import { listGroupProfiles, saveProfile } from '../stages/profile/profile-store.ts';
import type { SessionRow } from '../stages/session/session.ts';
import type { ProfiledSession } from './profile-session.ts';

/** Other rollouts of a prompt that a session is compared with. */
const MOST_SIBLINGS = 64;

/** What profiles are kept with. */
export interface KeepParts {
  readonly database: Database;
  readonly cohorts: Cohorts;
}

/** Scores a session that was counted beside its cohort's newest reference, and stores its profile; the same again stays one. */
export async function keepProfile(
  { database, cohorts }: KeepParts,
  { session, task, behaviour, isRecorded, verdict }: ProfiledSession,
  artifactId: string | null,
): Promise<ProfileRow> {
  const window = session.labels.policyVersion;
  const cohort = await cohorts.of(task, window);
  const body = makeProfile({
    ...{ cohort: task, window, behaviour, isRecorded, reference: cohort.reference, gate: cohort.gate },
    group: await siblingsOf(database, session),
    isCorroborated: (verdict?.signals ?? []).some(({ severity }) => severity !== 'note'),
  });
  return saveProfile(database, { sessionId: session.id, artifactId, body });
}

/** Other sessions of the same prompt in the same run, as far as they have ended. */
async function siblingsOf(database: Database, { id, labels }: SessionRow) {
  const { run, group } = labels;
  if (run === null || group === null) return [];
  const rows = await listGroupProfiles(database, { run, group, exceptSession: id, limit: MOST_SIBLINGS });
  return rows.map(({ sessionId, body }) => ({ id: sessionId, behaviour: shapeFrom(body.features) }));
}
