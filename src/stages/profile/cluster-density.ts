import { distanceOf } from './cluster-scale.ts';
import { condense, type Merge, selectClusters } from './cluster-tree.ts';

/** What a density-based clustering is told. */
export interface DensityOptions {
  /** Fewer sessions are no cluster. */
  readonly leastSize: number;
  /** The neighbour whose distance says how dense it is around a point. */
  readonly neighbours: number;
}

/** Points in groups, and the distances between all of them. */
export interface DensityClusters {
  /** For each point the number of its group, from 0; −1: in none. */
  readonly labels: Int32Array;
  readonly distance: (one: number, other: number) => number;
}

/**
 * HDBSCAN* (Campello, Moulavi, Zimek, Sander 2015): a spanning tree over mutual reachability, cut into the groups that persist longest.
 * Deterministic; n² distances of four bytes. Where the points fall apart nowhere they are one group.
 */
export function densityClusters(points: readonly Float64Array[], options: DensityOptions): DensityClusters {
  const n = points.length;
  const distances = new Float32Array(n * n);
  for (let one = 0; one < n; one++) {
    for (let other = one + 1; other < n; other++) {
      const apart = distanceOf(points[one] as Float64Array, points[other] as Float64Array);
      distances[one * n + other] = apart;
      distances[other * n + one] = apart;
    }
  }
  const distance = (one: number, other: number) => distances[one * n + other] as number;
  if (n < 2 * options.leastSize) return { labels: new Int32Array(n).fill(n >= options.leastSize ? 0 : -1), distance };
  const cores = Float64Array.from({ length: n }, (_, point) => {
    // its own distance of 0 is the first
    const row = distances.slice(point * n, (point + 1) * n).sort();
    return row[Math.min(options.neighbours, n - 1)] as number;
  });
  const reach = (one: number, other: number) =>
    Math.max(cores[one] as number, cores[other] as number, distance(one, other));
  return { labels: selectClusters(condense(mergesOf(spanningTree(n, reach), n), n, options.leastSize), n), distance };
}

interface Edge {
  readonly one: number;
  readonly other: number;
  readonly distance: number;
}

/** Prim's algorithm over all pairs: n² looks, no heap. Edges rise. */
function spanningTree(n: number, reach: (one: number, other: number) => number): readonly Edge[] {
  const best = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  const from = new Int32Array(n);
  const isIn = new Uint8Array(n);
  const edges: Edge[] = [];
  let last = 0;
  isIn[0] = 1;
  while (edges.length < n - 1) {
    let next = -1;
    for (let point = 0; point < n; point++) {
      if (isIn[point] === 1) continue;
      const apart = reach(last, point);
      if (apart < (best[point] as number)) {
        best[point] = apart;
        from[point] = last;
      }
      if (next === -1 || (best[point] as number) < (best[next] as number)) next = point;
    }
    isIn[next] = 1;
    edges.push({ one: from[next] as number, other: next, distance: best[next] as number });
    last = next;
  }
  return edges.sort((one, other) => one.distance - other.distance);
}

/** Joins points along rising edges; the merge with index i makes node n + i. */
function mergesOf(edges: readonly Edge[], n: number): readonly Merge[] {
  const parents = Int32Array.from({ length: 2 * n - 1 }, (_, node) => node);
  const sizes = new Int32Array(2 * n - 1).fill(1);
  const rootOf = (node: number) => {
    let root = node;
    while (parents[root] !== root) {
      // halves the way for whoever comes next
      parents[root] = parents[parents[root] as number] as number;
      root = parents[root] as number;
    }
    return root;
  };
  return edges.map(({ one, other, distance }, index) => {
    const [left, right] = [rootOf(one), rootOf(other)];
    const made = n + index;
    parents[left] = made;
    parents[right] = made;
    sizes[made] = (sizes[left] as number) + (sizes[right] as number);
    return { left, right, distance, size: sizes[made] as number };
  });
}
