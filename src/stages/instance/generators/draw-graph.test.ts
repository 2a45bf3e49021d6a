import { expect, test } from 'vitest';
import { drawRows, type RawParameter } from '../../../../test/support/draw-one.ts';

type Graph = Omit<Extract<RawParameter, { type: 'graph' }>, 'type'>;
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly weight?: number;
}

const edgesOf = (graph: Graph, seed = 'golden') =>
  drawRows({ type: 'graph', ...graph }, seed) as unknown as readonly Edge[];
const nodesIn = (edges: readonly Edge[]) => new Set(edges.flatMap(({ from, to }) => [from, to]));

/** Into how many parts edges tie the nodes that they name. */
function partsOf(edges: readonly Edge[]): number {
  const above = new Map<string, string>();
  const top = (node: string): string => {
    const next = above.get(node);
    return next === undefined ? node : top(next);
  };
  for (const { from, to } of edges) if (top(from) !== top(to)) above.set(top(from), top(to));
  return new Set([...nodesIn(edges)].map(top)).size;
}

/** Whether taking away nodes that nothing leads to ends with none left. */
function hasNoCycle(edges: readonly Edge[]): boolean {
  let left = edges;
  for (;;) {
    const reached = new Set(left.map(({ to }) => to));
    const rest = left.filter(({ from }) => reached.has(from));
    if (rest.length === left.length) return rest.length === 0;
    left = rest;
  }
}

interface Way {
  readonly directed: boolean;
  readonly connected: boolean;
  readonly acyclic: boolean;
}

const BOOLEANS = [true, false];
const WAYS: readonly Way[] = BOOLEANS.flatMap((directed) =>
  BOOLEANS.flatMap((connected) => BOOLEANS.map((acyclic) => ({ directed, connected, acyclic }))),
);

/** The fewest and the most edges that a way allows. */
function countsOf(nodes: number, { directed, connected, acyclic }: Way): readonly number[] {
  const pairs = { 2: 1, 5: 10, 8: 28 }[nodes] ?? 0;
  const most = acyclic ? (directed ? pairs : nodes - 1) : directed ? pairs * 2 : pairs;
  return [connected ? nodes - 1 : 1, most];
}

/** A graph for each size, fewest and most edges, and forty seeds. */
function graphsOf(way: Way): readonly { nodes: number; edges: number; drawn: readonly Edge[] }[] {
  return [2, 5, 8].flatMap((nodes) =>
    countsOf(nodes, way).flatMap((edges) =>
      Array.from({ length: 40 }, (_, seed) => ({
        ...{ nodes, edges, drawn: edgesOf({ nodes, edges, ...way }, `seed-${seed}`) },
      })),
    ),
  );
}

test.each(WAYS)('a graph with %j has its edges, all among its nodes, no loop and no double', (way) => {
  for (const { nodes, edges, drawn } of graphsOf(way)) {
    const keys = drawn.map(({ from, to }) => (way.directed ? [from, to] : [from, to].sort()).join());
    expect(new Set(keys).size).toBe(edges);
    expect(drawn).toHaveLength(edges);
    expect(drawn.filter(({ from, to }) => from === to)).toEqual([]);
    const names = Array.from({ length: nodes }, (_, node) => `n${node}`);
    expect([...nodesIn(drawn)].filter((node) => !names.includes(node))).toEqual([]);
  }
});

test.each(WAYS.filter(({ connected }) => connected))('a connected graph with %j is of one part', (way) => {
  for (const { nodes, drawn } of graphsOf(way)) expect([partsOf(drawn), nodesIn(drawn).size]).toEqual([1, nodes]);
});

test.each(WAYS.filter(({ acyclic }) => acyclic))('a graph with %j has no cycle', (way) => {
  for (const { edges, drawn } of graphsOf(way)) {
    if (way.directed) expect(hasNoCycle(drawn)).toBe(true);
    else expect(nodesIn(drawn).size - partsOf(drawn)).toBe(edges);
  }
});

test('where cycles are allowed they occur, and where connection is not asked for it is missing at times', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => `seed-${seed}`);
  expect(seeds.some((seed) => !hasNoCycle(edgesOf({ nodes: 6, edges: 12, directed: true }, seed)))).toBe(true);
  expect(seeds.some((seed) => partsOf(edgesOf({ nodes: 8, edges: 4 }, seed)) > 1)).toBe(true);
});

test('the order of the names does not tell the order of a graph without cycles', () => {
  const turned = Array.from({ length: 20 }, (_, seed) =>
    edgesOf({ nodes: 9, edges: 12, directed: true, acyclic: true }, `seed-${seed}`).filter(({ from, to }) => from > to),
  );
  expect(turned.filter((edges) => edges.length > 0).length).toBeGreaterThan(15);
});

test('every pair of nodes is an edge about equally often', () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 600; seed++) {
    const [edge] = edgesOf({ nodes: 5, edges: 1 }, `seed-${seed}`);
    const key = [edge?.from, edge?.to].sort().join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(10);
  expect(Math.min(...counts.values())).toBeGreaterThan(35); // 60 is even; fixed seeds, so this never flickers
});

test('names and weights change no edge: names are distinct, weights within their range', () => {
  const graph = { nodes: 40, edges: 60, connected: true };
  const [plain, rich] = [edgesOf(graph), edgesOf({ ...graph, names: true, weights: { min: -2, max: 2 } })];
  const names = new Map(
    plain.flatMap(
      ({ from, to }, row) =>
        [
          [from, rich[row]?.from],
          [to, rich[row]?.to],
        ] as const,
    ),
  );
  expect(plain.map(({ from, to }) => [names.get(from), names.get(to)])).toEqual(rich.map(({ from, to }) => [from, to]));
  expect(new Set(names.values()).size).toBe(40);
  expect([...names.values()].filter((name) => !/^[a-z]+_[a-z]+$/.test(name ?? ''))).toEqual([]);
  expect([...new Set(rich.map(({ weight }) => weight))].sort((a, b) => Number(a) - Number(b))).toEqual([
    -2, -1, 0, 1, 2,
  ]);
});
