import { z } from 'zod';
import { FEATURES, type FeatureName } from './features.ts';

/** Of the way in which clusters are made. */
export const CLUSTER_VERSION = 'proctor/clusters/1';
/** Sessions that are clustered at most; distances between all of them are kept in memory (16 MB). */
export const MOST_CLUSTERED = 2_000;

/** What reviewers may have said of a cluster; until then it is `unknown`. */
export const CLUSTER_STATES = ['unknown', 'reviewed-honest', 'reviewed-cheat', 'harness-bug'] as const;
/** One of them. */
export type ClusterState = (typeof CLUSTER_STATES)[number];

const FEATURE_NAMES = FEATURES.map(({ name }) => name) as [FeatureName, ...FeatureName[]];
const row = z.array(z.number().nullable()).length(FEATURES.length).readonly();

export const scalingSchema = z.object({
  /** One for each feature, in their order: what is taken off, and what one unit of distance is; 0: the feature says nothing here. */
  centres: z.array(z.number()).length(FEATURES.length).readonly(),
  spreads: z.array(z.number().nonnegative()).length(FEATURES.length).readonly(),
});

/** How values become coordinates; see {@link scalingSchema}. */
export type Scaling = Readonly<z.infer<typeof scalingSchema>>;

const markSchema = z.object({
  feature: z.enum(FEATURE_NAMES),
  /** Medians on the transformed scale. */
  here: z.number(),
  elsewhere: z.number(),
});

export const clusterSchema = z.object({
  /** Stays with a cluster from fit to fit. */
  label: z.string().regex(/^c\d+$/),
  /** For people: what sets it apart. */
  name: z.string(),
  sessions: z.int(),
  /** Its most central session, with its transformed values. */
  medoid: z.object({ session: z.string(), values: row }).readonly(),
  /** Within which 95 % of its sessions are of the medoid. */
  radius: z.number(),
  /** A few sessions near the medoid, then a few at the edge. */
  examples: z.array(z.string()).readonly(),
  marks: z.array(markSchema).readonly(),
});

/** One group of sessions that behave alike. */
export type Cluster = Readonly<z.infer<typeof clusterSchema>>;

export const clusteringSchema = z.object({
  version: z.literal(CLUSTER_VERSION),
  cohort: z.string(),
  sessions: z.int(),
  /** Sessions in no cluster. */
  alone: z.int(),
  scaling: scalingSchema,
  clusters: z.array(clusterSchema).readonly(),
  /** Labels up to this number were given out in this cohort; none is given twice. */
  lastLabel: z.int(),
  /** Two axes of the map, as weights of the scaled features. */
  axes: z.array(z.array(z.number()).length(FEATURES.length)).length(2).readonly(),
  /** Where each session is on it; null: in no cluster. */
  points: z
    .array(z.object({ session: z.string(), x: z.number(), y: z.number(), label: z.string().nullable() }))
    .readonly(),
});

/** How the sessions of a cohort fall into groups: plain JSON, immutable, with nothing of what reviewers said. */
export type Clustering = Readonly<z.infer<typeof clusteringSchema>>;

/** A session that is to be clustered. */
export interface Clustered {
  readonly session: string;
  /** Transformed, as `shapeOf` gives them; null: not known. */
  readonly values: readonly (number | null)[];
}
