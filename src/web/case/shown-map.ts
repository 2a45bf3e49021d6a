import type { ClusterState } from '../../stages/profile/cluster.ts';
import type { MapPoint } from '../../stages/profile/map.ts';
import type { JudgedSession } from '../../stages/review/judged-store.ts';

/** One way of working that the sessions of a task show. */
export interface ShownCluster {
  readonly label: string;
  /** What sets it apart. */
  readonly name: string;
  readonly sessions: number;
  /** What a person said of it last. */
  readonly state: ClusterState;
}

/** A session that behaved much like this one. */
export interface Neighbour {
  readonly session: string;
  /** Null: its hand-in has no verdict, or it made none. */
  readonly judged: JudgedSession | null;
}

/** Where a session stands among those of its task. */
export interface ShownMap {
  readonly points: readonly MapPoint[];
  /** This session; its label says in which cluster it is. */
  readonly marked: MapPoint;
  /** Whether it had a part in the clusters; else it was placed in them. */
  readonly isMember: boolean;
  readonly clusters: readonly ShownCluster[];
  /** The nearest on the map, of its cluster where it is in one. */
  readonly neighbours: readonly Neighbour[];
}
