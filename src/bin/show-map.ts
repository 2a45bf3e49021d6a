import { profileSession } from '../pipeline/profile-session.ts';
import type { Clustering, ClusterState } from '../stages/profile/cluster.ts';
import { placeSession } from '../stages/profile/cluster-place.ts';
import { clusterStates, findClustering } from '../stages/profile/cluster-store.ts';
import type { MapPoint } from '../stages/profile/map.ts';
import { shapeOf } from '../stages/profile/measure-rarity.ts';
import { shapeFrom } from '../stages/profile/profile.ts';
import { listJudged } from '../stages/review/judged-store.ts';
import type { Neighbour, ShownMap } from '../web/case/shown-map.ts';
import { type ShowParts, storedProfile } from './show-profile.ts';

const MOST_NEIGHBOURS = 8;

/**
 * Where a session stands among the sessions of its task, by the newest clusters: where it was when they were made, or where it is placed in them.
 * Null when the task was never clustered. `conflict` for a session that is open or for clusters of another version.
 */
export async function showMap(parts: ShowParts, sessionId: string, task: string): Promise<ShownMap | null> {
  const { database } = parts;
  const found = await findClustering(database, task);
  if (found === null) return null;
  const { clustering } = found;
  const states = await clusterStates(database, task);
  const member = clustering.points.find(({ session }) => session === sessionId);
  const marked = member ?? (await placed(parts, sessionId, clustering));
  return {
    ...{ points: clustering.points, marked, isMember: member !== undefined },
    clusters: clustersOf(clustering, states),
    neighbours: await judgedOf(parts, nearest(clustering, sessionId, marked)),
  };
}

async function placed(parts: ShowParts, sessionId: string, clustering: Clustering): Promise<MapPoint> {
  const stored = await storedProfile(parts.database, sessionId);
  const behaviour =
    stored === null ? (await profileSession(parts, sessionId)).behaviour : shapeFrom(stored.body.features);
  return placeSession(clustering, shapeOf(behaviour)).point;
}

function clustersOf({ clusters }: Clustering, states: ReadonlyMap<string, ClusterState>): ShownMap['clusters'] {
  return clusters
    .map(({ label, name, sessions }) => ({ label, name, sessions, state: states.get(label) ?? 'unknown' }))
    .toSorted((one, other) => other.sessions - one.sessions);
}

/** Sessions of the same cluster, or of any where it is in none, by how far they are on the map. */
function nearest({ points }: Clustering, sessionId: string, { x, y, label }: MapPoint): readonly string[] {
  return points
    .filter((point) => point.session !== sessionId && (label === null || point.label === label))
    .map((point) => ({ session: point.session, apart: Math.hypot(point.x - x, point.y - y) }))
    .toSorted((one, other) => one.apart - other.apart)
    .slice(0, MOST_NEIGHBOURS)
    .map(({ session }) => session);
}

async function judgedOf({ database }: ShowParts, sessions: readonly string[]): Promise<readonly Neighbour[]> {
  const judged = new Map((await listJudged(database, sessions)).map((each) => [each.session, each]));
  return sessions.map((session) => ({ session, judged: judged.get(session) ?? null }));
}
