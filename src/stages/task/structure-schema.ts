import { z } from 'zod';
import { type CellSpec, cellSchema, checkRange, dateSchema } from './cell-schema.ts';

/** Names that can stand in a template, in Python and in TOML without quotes. */
const PARAMETER_NAME = /^[a-z][a-z0-9_]{0,40}$/;

/** The name of a parameter. */
export const parameterName = z.string().regex(PARAMETER_NAME, 'must be snake_case');
/** A symbol of a code fragment, and `$$` for a dollar sign. */
export const SYMBOL = /\$\$|\$([a-z][a-z0-9_]*)/g;

const sizeRange = z.strictObject({ min: z.int(), max: z.int() }).superRefine(checkRange);

/** Faults that are planted in a table. */
const ANOMALY_KINDS = ['missing', 'duplicate-row', 'outlier', 'swapped', 'padded', 'case'] as const;
export type AnomalyKind = (typeof ANOMALY_KINDS)[number];

const anomaliesSchema = z
  .strictObject({
    count: z.int().min(1).max(50_000),
    kinds: z.array(z.enum(ANOMALY_KINDS)).min(1),
  })
  .refine(({ kinds }) => new Set(kinds).size === kinds.length, { error: 'names a kind twice', path: ['kinds'] });

const isNumber = (cell: CellSpec) =>
  ['integer', 'decimal'].includes(cell.type) ||
  (cell.type === 'choice' && cell.of.some((value) => typeof value === 'number')) ||
  (cell.type === 'datetime' && cell.form === 'epoch');
const isText = (cell: CellSpec) =>
  (cell.type === 'choice' && cell.of.some((value) => typeof value === 'string' && value !== '')) ||
  !(['integer', 'decimal', 'choice'].includes(cell.type) || isNumber(cell));

/** What a kind of anomaly needs of the columns: told to the author when the task is read, not when a seed meets it. */
const NEEDS = {
  missing: { column: 'a column', met: (cells) => cells.length > 0 },
  'duplicate-row': { column: 'a column', met: (cells) => cells.length > 0 },
  outlier: { column: 'a column of numbers', met: (cells) => cells.some(isNumber) },
  swapped: { column: 'two columns', met: (cells) => cells.length > 1 },
  padded: { column: 'a column of texts', met: (cells) => cells.some(isText) },
  case: { column: 'a column of texts', met: (cells) => cells.some(isText) },
} satisfies Record<AnomalyKind, { column: string; met: (cells: readonly CellSpec[]) => boolean }>;

export const tableSchema = z
  .strictObject({
    type: z.literal('table').describe('a list of rows, each with the named columns'),
    rows: z.int().min(1).max(100_000),
    columns: z.record(parameterName, cellSchema),
    anomalies: anomaliesSchema.optional(),
  })
  .superRefine(({ rows, columns, anomalies }, context) => {
    if (anomalies === undefined) return;
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path: ['anomalies', ...path], message });
    if (anomalies.count * 2 > rows) refuse(['count'], 'is more than half of the rows');
    for (const [index, kind] of anomalies.kinds.entries()) {
      if (!NEEDS[kind].met(Object.values(columns))) refuse(['kinds', index], `"${kind}" needs ${NEEDS[kind].column}`);
    }
  });

interface GraphCounts {
  readonly nodes: number;
  readonly edges: number;
  readonly directed: boolean;
  readonly connected: boolean;
  readonly acyclic: boolean;
}

/** The most edges without loops and doubles. Without directions and cycles a graph is a forest. */
function mostEdges({ nodes, directed, acyclic }: GraphCounts): number {
  if (!directed && acyclic) return nodes - 1;
  return directed && !acyclic ? nodes * (nodes - 1) : (nodes * (nodes - 1)) / 2;
}

export const graphSchema = z
  .strictObject({
    type: z.literal('graph').describe('a table of edges with `from`, `to` and perhaps `weight`; no loops, no doubles'),
    nodes: z.int().min(2).max(5_000),
    edges: z.int().min(1).max(300_000),
    directed: z.boolean().default(false),
    connected: z.boolean().default(false),
    acyclic: z.boolean().default(false),
    weights: sizeRange.optional(),
    names: z.boolean().default(false),
  })
  .superRefine((graph, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['edges'], message });
    if (graph.edges > mostEdges(graph)) refuse(`such a graph has at most ${mostEdges(graph)} edges`);
    if (graph.connected && graph.edges < graph.nodes - 1) {
      refuse(`a connected graph has at least ${graph.nodes - 1} edges`);
    }
  });

export const treeSchema = z
  .strictObject({
    type: z.literal('tree').describe('a table of files with `path` and `bytes`; every folder has a file beneath it'),
    folders: z.int().min(0).max(10_000),
    files: z.int().min(1).max(100_000),
    depth: z.int().min(0).max(12).describe('of the deepest folder'),
    endings: z
      .array(z.string().regex(/^(\.[a-z0-9]{1,10}){1,2}$/, 'must be an ending such as ".txt"'))
      .min(1)
      .max(50),
    bytes: sizeRange
      .refine(({ min }) => min >= 0, { error: 'a file has no fewer than 0 bytes', path: ['min'] })
      .prefault({ min: 0, max: 4_096 }),
  })
  .superRefine(({ folders, files, depth }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (folders < depth) refuse('depth', `${folders} folders cannot be ${depth} deep`);
    if (depth === 0 && folders > 0) refuse('depth', 'folders need a depth of at least 1');
    if (files < folders) refuse('files', 'there must be at least one file for each folder');
  });

/** Levels of a log's lines; the first four are drawn, the last comes as planted only. */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;

const plantedSchema = z.strictObject({
  count: z.int().min(1).max(100_000),
  level: z.enum(LOG_LEVELS).default('ERROR'),
  text: z
    .string()
    .regex(/^(?! )[^\p{Cc}\u2028\u2029]{1,200}(?<! )$/u, 'must be 1 to 200 visible characters in one line'),
});

export const logSchema = z
  .strictObject({
    type: z.literal('log').describe('a list of lines with time, level, service and message'),
    lines: z.int().min(1).max(100_000),
    services: z.int().min(1).max(50),
    from: dateSchema.describe('the day of the first line'),
    planted: plantedSchema.optional(),
  })
  .refine(({ lines, planted }) => planted === undefined || planted.count <= lines, {
    error: 'is more than there are lines',
    path: ['planted', 'count'],
  });

const fragment = z
  .string()
  .max(20_000)
  .refine((text) => symbolsOf(text).length > 0, 'has no symbol such as $name');

export const codeSchema = z.strictObject({
  type: z.literal('code').describe('one of the fragments, each `$symbol` replaced by an invented identifier'),
  fragments: z.array(fragment).min(1).max(100),
  style: z.enum(['snake', 'camel', 'pascal']).default('snake'),
});

/** The symbols of a fragment without `$`, each once, in the order of their first place. */
export function symbolsOf(fragmentText: string): readonly string[] {
  const symbols = [...fragmentText.matchAll(SYMBOL)].flatMap(([, symbol]) => (symbol === undefined ? [] : [symbol]));
  return [...new Set(symbols)];
}
