import { type RandomStream, randomStream } from '../random-stream.ts';
import { numberDrawer } from './draw-number.ts';
import type { DrawSource, Row, SpecOf } from './drawn-value.ts';
import { drawNewName } from './identifiers.ts';
import { distinctNumbers, shuffled } from './shuffle.ts';

type GraphSpec = SpecOf<'graph'>;
type Edge = readonly [from: number, to: number];

/** The edges of a graph in drawn order. Names and weights have streams of their own: they change no edge. */
export function drawGraph(spec: GraphSpec, { seed, label }: DrawSource): Row[] {
  const edges = drawEdges(spec, randomStream(seed, label));
  const names = nodeNames(spec, randomStream(seed, `${label}/#names`));
  const weightStream = randomStream(seed, `${label}/#weights`);
  const drawWeight = spec.weights === undefined ? null : numberDrawer(spec.weights);
  return edges.map(([from, to]) => ({
    from: names[from] ?? '',
    to: names[to] ?? '',
    ...(drawWeight === null ? {} : { weight: drawWeight(weightStream) }),
  }));
}

function nodeNames(spec: GraphSpec, stream: RandomStream): readonly string[] {
  const taken = new Set<string>();
  return Array.from({ length: spec.nodes }, (_, node) =>
    spec.names ? drawNewName('snake', taken, stream) : `n${node}`,
  );
}

/**
 * A connected graph starts as a tree in which each node, in drawn order, is tied to one before it; a forest is a part
 * of such a tree. What is missing are pairs in drawn order. A graph without cycles has every edge lead from an earlier
 * node of the drawn order to a later one.
 */
function drawEdges(spec: GraphSpec, stream: RandomStream): readonly Edge[] {
  const order = shuffled(
    Array.from({ length: spec.nodes }, (_, node) => node),
    stream,
  );
  const isForest = spec.acyclic && !spec.directed;
  const tree = spec.connected || isForest ? drawTree(spec, order, stream) : [];
  const start = isForest ? shuffled(tree, stream).slice(0, spec.edges) : tree;
  const edges = new Map(start.map((edge) => [keyOf(edge, spec), edge]));
  for (const index of distinctNumbers(pairCount(spec), stream)) {
    if (edges.size >= spec.edges) break;
    const edge = pairAt(index, spec, order);
    if (!edges.has(keyOf(edge, spec))) edges.set(keyOf(edge, spec), edge);
  }
  return shuffled([...edges.values()], stream);
}

function drawTree(spec: GraphSpec, order: readonly number[], stream: RandomStream): readonly Edge[] {
  return order.slice(1).map((node, before) => {
    const earlier = order[stream.below(before + 1)] as number;
    const isTurned = !spec.acyclic && stream.below(2) === 1;
    return isTurned ? [node, earlier] : [earlier, node];
  });
}

/** The same for both directions of an edge where a graph has none. */
function keyOf([from, to]: Edge, { directed, nodes }: GraphSpec): number {
  return directed || from < to ? from * nodes + to : to * nodes + from;
}

function hasBothWays(spec: GraphSpec): boolean {
  return spec.directed && !spec.acyclic;
}

function pairCount(spec: GraphSpec): number {
  const ordered = spec.nodes * (spec.nodes - 1);
  return hasBothWays(spec) ? ordered : ordered / 2;
}

/** The pair of an index: first all pairs of places that are one apart (in a circle), then two apart, and so on. */
function pairAt(index: number, spec: GraphSpec, order: readonly number[]): Edge {
  const place = index % spec.nodes;
  const other = (place + 1 + Math.floor(index / spec.nodes)) % spec.nodes;
  const isTurned = spec.acyclic && other < place;
  const [from, to] = isTurned ? [other, place] : [place, other];
  return [order[from] as number, order[to] as number];
}
