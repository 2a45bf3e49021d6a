import { z } from 'zod';
import { digestOfJson, digestSchema } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { CLUSTER_STATES, type Clustering, type ClusterState, clusteringSchema } from './cluster.ts';

/** What a person says of a cluster. */
export interface ClusterRuling {
  readonly cohort: string;
  readonly label: string;
  readonly state: Exclude<ClusterState, 'unknown'>;
  readonly reviewer: string;
  readonly note: string;
}

const storedSchema = z.object({ digest: digestSchema, body: z.string() });
const stateSchema = z.object({ label: z.string(), state: z.enum(CLUSTER_STATES) });

/** Appends a clustering and gives its digest; the same again stays one. */
export async function saveClustering(database: Queryable, clustering: Clustering): Promise<string> {
  const digest = digestOfJson(clustering);
  await database.query(
    `INSERT INTO clusterings (digest, cohort, sessions, body) VALUES ($1, $2, $3, $4) ON CONFLICT (digest) DO NOTHING`,
    [digest, clustering.cohort, clustering.sessions, JSON.stringify(clustering)],
  );
  return digest;
}

/** The newest clustering of a cohort, compared with its digest; null when there is none. `conflict` for one of another version. */
export async function findClustering(
  database: Queryable,
  cohort: string,
): Promise<{ readonly digest: string; readonly clustering: Clustering } | null> {
  const [row] = await database.query(
    'SELECT digest, body FROM clusterings WHERE cohort = $1 ORDER BY created_at DESC, digest LIMIT 1',
    [cohort],
  );
  if (row === undefined) return null;
  const { digest, body } = storedSchema.parse(row);
  const parsed = clusteringSchema.safeParse(JSON.parse(body));
  if (!parsed.success)
    throw new ProctorError('conflict', `the clusters ${digest} were made by another version: make them again`);
  if (digestOfJson(parsed.data) === digest) return { digest, clustering: parsed.data };
  throw new ProctorError('digest-mismatch', `the stored clusters ${digest} are not what was stored`);
}

/** Appends a ruling on a cluster of the newest clustering; `not-found` for a label that it does not have. */
export async function ruleCluster(database: Queryable, ruling: ClusterRuling): Promise<void> {
  const { cohort, label, state, reviewer, note } = ruling;
  const found = await findClustering(database, cohort);
  if (found === null || found.clustering.clusters.every((cluster) => cluster.label !== label)) {
    throw new ProctorError('not-found', `${cohort} has no cluster ${label}`);
  }
  await database.query(
    `INSERT INTO cluster_rulings (cohort, label, clustering, state, reviewer, note) VALUES ($1, $2, $3, $4, $5, $6)`,
    [cohort, label, found.digest, state, reviewer, note],
  );
}

/** What was said last of each cluster of a cohort; of the others nothing was said. */
export async function clusterStates(database: Queryable, cohort: string): Promise<ReadonlyMap<string, ClusterState>> {
  const rows = await database.query(
    `SELECT DISTINCT ON (label) label, state FROM cluster_rulings WHERE cohort = $1 ORDER BY label, id DESC`,
    [cohort],
  );
  return new Map(rows.map((row) => stateSchema.parse(row)).map(({ label, state }) => [label, state]));
}
