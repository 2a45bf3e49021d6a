import type { CellSpec } from './cell-schema.ts';
import type { ParameterSpec } from './parameters.ts';
import { symbolsOf } from './structure-schema.ts';

/** The most that a parameter can draw: values, and bytes of them as JSON. Never less than what a seed gives. */
export interface DrawSize {
  readonly cells: number;
  readonly bytes: number;
}

/** What the parameters of one task may draw together. */
export const MAX_DRAWN: DrawSize = { cells: 1_000_000, bytes: 16 * 1_024 * 1_024 };

// Bytes of the longest of each, quotes and comma included; the tests of the generators hold them to it.
const NUMBER_BYTES = 20;
/** Quotes around a column's name, colon and comma. */
const CELL_BYTES = 4;
/** Blanks around a text, or a number times 1,000. */
const ANOMALY_BYTES = 6;
const WORD_BYTES = 9;
const NAME_BYTES = 20;
const PERSON_BYTES = 40;
const DATETIME_BYTES = 32;
const SENTENCE_BYTES = 120;
const LOG_LINE_BYTES = 130;
const PLANTED_ROW_BYTES = 120;
/** Beside the symbol, which is counted with its fragment. */
const NAMED_ROW_BYTES = 48;
/** A symbol of two characters becomes a name of seventeen. */
const CODE_GROWTH = 9;

/** The upper bound of what a parameter draws, with the parameter that tells what is planted in it. */
export function sizeOf(spec: ParameterSpec): DrawSize {
  switch (spec.type) {
    case 'words':
      return { cells: spec.count, bytes: spec.count * (WORD_BYTES + 2) };
    case 'integers':
      return { cells: spec.count, bytes: spec.count * (numberBytes(spec) + 1) };
    case 'table':
      return sizeOfTable(spec);
    case 'graph':
      return { cells: spec.edges * 3, bytes: spec.edges * (2 * NAME_BYTES + NUMBER_BYTES + 32) };
    case 'tree': {
      const pathBytes = (spec.depth + 1) * NAME_BYTES + 24;
      return { cells: spec.files * 2, bytes: spec.files * (pathBytes + NUMBER_BYTES + 20) };
    }
    case 'log':
      return sizeOfLog(spec);
    case 'code':
      return sizeOfCode(spec);
    default:
      return { cells: 1, bytes: cellBytes(spec) };
  }
}

/** What several parameters draw together. */
export function totalSize(specs: readonly ParameterSpec[]): DrawSize {
  return specs.map(sizeOf).reduce((sum, size) => ({ cells: sum.cells + size.cells, bytes: sum.bytes + size.bytes }), {
    cells: 0,
    bytes: 0,
  });
}

function sizeOfTable(spec: Extract<ParameterSpec, { type: 'table' }>): DrawSize {
  const columns = Object.entries(spec.columns);
  const perCell = spec.anomalies === undefined ? CELL_BYTES : CELL_BYTES + ANOMALY_BYTES;
  const rowBytes = columns.reduce((sum, [name, cell]) => sum + name.length + perCell + cellBytes(cell), 3);
  // two cells that changed places are two rows of what is told
  const told = (spec.anomalies?.count ?? 0) * 2;
  return { cells: spec.rows * columns.length + told * 3, bytes: spec.rows * rowBytes + told * PLANTED_ROW_BYTES };
}

function sizeOfLog(spec: Extract<ParameterSpec, { type: 'log' }>): DrawSize {
  const { count = 0, text = '' } = spec.planted ?? {};
  return {
    cells: spec.lines + count,
    bytes: spec.lines * LOG_LINE_BYTES + count * (NUMBER_BYTES + longest([text])),
  };
}

function sizeOfCode(spec: Extract<ParameterSpec, { type: 'code' }>): DrawSize {
  const symbols = Math.max(...spec.fragments.map((fragment) => symbolsOf(fragment).length));
  return { cells: 1 + symbols * 2, bytes: longest(spec.fragments) * CODE_GROWTH + symbols * NAMED_ROW_BYTES };
}

function cellBytes(spec: CellSpec): number {
  switch (spec.type) {
    case 'integer':
    case 'decimal':
      return numberBytes(spec);
    case 'choice':
      return longest(spec.of);
    case 'name':
      return NAME_BYTES;
    case 'text':
      return spec.words * WORD_BYTES + 2;
    case 'person':
      return PERSON_BYTES;
    case 'prose':
      return spec.sentences * SENTENCE_BYTES + 2;
    case 'datetime':
      return DATETIME_BYTES;
  }
}

function numberBytes({ min, max, places = 0 }: { min: number; max: number; places?: number }): number {
  return Math.max(String(Math.trunc(min)).length, String(Math.trunc(max)).length) + places + 2;
}

function longest(values: readonly (string | number)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, Buffer.byteLength(JSON.stringify(value))), 0);
}
