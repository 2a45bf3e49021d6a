import { ProctorError } from '../platform/base/errors.ts';
import type { Clustered, Clustering } from '../stages/profile/cluster.ts';
import { MOST_CLUSTERED } from '../stages/profile/cluster.ts';
import { clusterSessions } from '../stages/profile/cluster-sessions.ts';
import { findClustering, saveClustering } from '../stages/profile/cluster-store.ts';
import { shapeOf } from '../stages/profile/measure-rarity.ts';
import { actionShingles, printOf } from '../stages/profile/near-duplicate.ts';
import { saveTrajectoryPrint } from '../stages/profile/near-duplicate-store.ts';
import { type Between, listEnded } from '../stages/session/session-list-store.ts';
import { type ProfileParts, profileSession } from './profile-session.ts';

/** What came of a fit of clusters. */
export interface ClusteredCohort {
  readonly digest: string;
  readonly clustering: Clustering;
  /** Sessions that cannot be made out any more. */
  readonly unreadable: number;
}

/**
 * Groups the newest ended sessions of a task by their behaviour and stores what came of it; labels go on from the fit before. Prints of the sessions
 * are stored on the way, so that others find what is like them. `conflict` without any session.
 */
export async function clusterCohort(
  parts: ProfileParts,
  { task, since, until }: { readonly task: string } & Between,
  onSession: (done: number, of: number) => void = () => undefined,
): Promise<ClusteredCohort> {
  const { database } = parts;
  const ids = await listEnded(database, { task, since, until, limit: MOST_CLUSTERED });
  const sessions: Clustered[] = [];
  for (const [index, id] of ids.entries()) {
    const profiled = await profileSession(parts, id).catch((thrown) => {
      if (thrown instanceof ProctorError && thrown.fault !== 'platform') return null;
      throw thrown;
    });
    if (profiled !== null) {
      sessions.push({ session: id, values: shapeOf(profiled.behaviour) });
      const print = printOf(actionShingles(profiled.behaviour));
      if (print !== null) await saveTrajectoryPrint(database, { sessionId: id, cohort: task, kind: 'actions', print });
    }
    onSession(index + 1, ids.length);
  }
  if (sessions.length === 0) throw new ProctorError('conflict', `${task} has no ended session that can be read`);
  const previous = (await findClustering(database, task))?.clustering ?? null;
  const clustering = clusterSessions(sessions, { cohort: task, previous });
  const digest = await saveClustering(database, clustering);
  return { digest, clustering, unreadable: ids.length - sessions.length };
}
