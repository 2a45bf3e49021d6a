/** Two nodes that become one at a distance; nodes below n are points, the others earlier merges. */
export interface Merge {
  readonly left: number;
  readonly right: number;
  readonly distance: number;
  readonly size: number;
}

/** A group while it lasts, from the density at which it begins on. */
interface Branch {
  readonly parent: number;
  readonly birth: number;
  readonly children: number[];
  /** Points that left it as single ones, and how dense it was then. */
  readonly points: number[];
  /** Sum over its points of how much longer than its birth they stayed. */
  stability: number;
}

/** Points nearer than this are one place: copies of one session must not weigh without end. */
const LEAST_DISTANCE = 0.05;

const densityOf = ({ distance }: Merge) => 1 / Math.max(LEAST_DISTANCE, distance);

/** Walks the merges from the whole down and keeps the splits into groups of at least `leastSize`; the first branch is the whole. */
export function condense(merges: readonly Merge[], n: number, leastSize: number): readonly Branch[] {
  const branches: Branch[] = [newBranch(-1, 0)];
  const left: { node: number; branch: number }[] = [{ node: n + merges.length - 1, branch: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, branch: at } = next;
    const branch = branches[at] as Branch;
    const merge = merges[node - n];
    if (merge === undefined) continue;
    const density = densityOf(merge);
    const sides = [merge.left, merge.right];
    const isSplit = sides.every((side) => sizeOf(side, merges, n) >= leastSize);
    for (const side of sides) {
      const size = sizeOf(side, merges, n);
      if (isSplit) {
        branch.stability += size * (density - branch.birth);
        branch.children.push(branches.length);
        left.push({ node: side, branch: branches.length });
        branches.push(newBranch(at, density));
      } else if (size >= leastSize) {
        left.push({ node: side, branch: at });
      } else {
        const points = pointsOf(side, merges, n);
        branch.points.push(...points);
        branch.stability += points.length * (density - branch.birth);
      }
    }
  }
  return branches;
}

function newBranch(parent: number, birth: number): Branch {
  return { parent, birth, children: [], points: [], stability: 0 };
}

function sizeOf(node: number, merges: readonly Merge[], n: number): number {
  return node < n ? 1 : (merges[node - n]?.size ?? 0);
}

function pointsOf(node: number, merges: readonly Merge[], n: number): readonly number[] {
  const points: number[] = [];
  const left = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const merge = merges[next - n];
    if (next < n) points.push(next);
    else if (merge !== undefined) left.push(merge.left, merge.right);
  }
  return points;
}

/** The groups that last longest, none within another ("excess of mass"); the whole only where it never splits. −1: in none. */
export function selectClusters(branches: readonly Branch[], n: number): Int32Array {
  const worth = branches.map(({ stability }) => stability);
  const isChosen = branches.map(() => true);
  // children come after their parent, so that from the end each is settled before it is asked
  for (let at = branches.length - 1; at >= 0; at--) {
    const { children } = branches[at] as Branch;
    if (children.length === 0) continue;
    const below = children.reduce((sum, child) => sum + (worth[child] as number), 0);
    if (at === 0 || below > (worth[at] as number)) {
      isChosen[at] = false;
      worth[at] = below;
    }
  }
  const labels = new Int32Array(n).fill(-1);
  let count = 0;
  branches.forEach((_, at) => {
    if (!isChosen[at] || isWithin(branches, isChosen, at)) return;
    for (const point of allPoints(branches, at)) labels[point] = count;
    count++;
  });
  return labels;
}

function isWithin(branches: readonly Branch[], isChosen: readonly boolean[], at: number): boolean {
  for (let above = branches[at]?.parent ?? -1; above !== -1; above = branches[above]?.parent ?? -1) {
    if (isChosen[above]) return true;
  }
  return false;
}

function allPoints(branches: readonly Branch[], at: number): readonly number[] {
  const points: number[] = [];
  const left = [at];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const branch = branches[next];
    if (branch === undefined) continue;
    points.push(...branch.points);
    left.push(...branch.children);
  }
  return points;
}
