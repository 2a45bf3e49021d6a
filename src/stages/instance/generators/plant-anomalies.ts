import { ProctorError } from '../../../platform/base/errors.ts';
import type { CellSpec } from '../../task/parameters.ts';
import type { AnomalyKind } from '../../task/structure-schema.ts';
import type { Scalar } from '../instance.ts';
import { type RandomStream, randomStream } from '../random-stream.ts';
import { scaleOf } from './draw-cell.ts';
import type { DrawSource, Row } from './drawn-value.ts';
import { shuffled } from './shuffle.ts';

interface Planting {
  readonly columns: Readonly<Record<string, CellSpec>>;
  readonly anomalies: { readonly count: number; readonly kinds: readonly AnomalyKind[] };
}

/** A decimal of 15 digits is still written as it was drawn when it is a thousand times as large. */
const MAX_OUTLIER = 1e15;
/**
 * Latin letters whose capitals have been the same in every version of Unicode. Other scripts have got capitals over
 * time, so the same text would give other bytes in another engine.
 */
const SETTLED_LETTERS = /[a-z\u00df-\u00f6\u00f8-\u00ff\u0100-\u0148\u014a-\u017f]/g;

/**
 * Plants anomalies in drawn rows, each in a row of its own, and gives the new rows with what was planted: `row` from 0,
 * `column` (empty for a whole row), `kind`, in the order of the table; two cells that changed places are two entries.
 * `task-invalid` when too few rows can take a kind.
 */
export function plantAnomalies(
  rows: readonly Row[],
  { columns, anomalies }: Planting,
  { seed, label }: DrawSource,
): { rows: Row[]; planted: Row[] } {
  const stream = (part: string) => randomStream(seed, `${label}/#${part}`);
  const [kindStream, cellStream, copyStream] = [stream('kinds'), stream('cells'), stream('copies')];
  const places = placesOf(rows, columns, shuffled([...rows.keys()], stream('rows')));
  const result = [...rows];
  const planted: { row: number; column: string; kind: AnomalyKind }[] = [];
  const copies: number[] = [];
  for (let left = anomalies.count; left > 0; left--) {
    const kind = kindStream.pick(anomalies.kinds);
    const row = places.take(kind);
    if (kind === 'duplicate-row') {
      copies.push(row);
      planted.push({ row, column: '', kind });
      continue;
    }
    const change = cellStream.pick(changesOf(rows[row] ?? {}, columns, kind))(cellStream);
    result[row] = { ...rows[row], ...change };
    planted.push(...Object.keys(change).map((column) => ({ row, column, kind })));
  }
  const untouched = places.untouched();
  for (const row of copies) result[row] = { ...rows[copyStream.pick(untouched)] };
  return { rows: result, planted: planted.sort((a, b) => a.row - b.row) };
}

interface Places {
  /** A row that can take an anomaly of this kind and has none yet. */
  take(kind: AnomalyKind): number;
  untouched(): readonly number[];
}

/** Gives rows in the order to one anomaly each. A row that cannot take a kind is not asked for it again. */
function placesOf(rows: readonly Row[], columns: Planting['columns'], order: readonly number[]): Places {
  const used = new Set<number>();
  const next = new Map<AnomalyKind, number>();
  const take = (kind: AnomalyKind): number => {
    for (let at = next.get(kind) ?? 0; at < order.length; at++) {
      const row = order[at] as number;
      if (used.has(row) || !canTake(rows[row] ?? {}, columns, kind)) continue;
      next.set(kind, at + 1);
      used.add(row);
      return row;
    }
    throw new ProctorError('task-invalid', `too few rows of the table can take an anomaly of the kind "${kind}"`);
  };
  return { take, untouched: () => order.filter((row) => !used.has(row)) };
}

type Change = (stream: RandomStream) => Row;

function canTake(row: Row, columns: Planting['columns'], kind: AnomalyKind): boolean {
  return kind === 'duplicate-row' || changesOf(row, columns, kind).length > 0;
}

/** What an anomaly can do to a row; each gives the cells that it changes, and none leaves a cell as it was. */
function changesOf(row: Row, columns: Planting['columns'], kind: AnomalyKind): readonly Change[] {
  const names = Object.keys(columns);
  if (kind === 'swapped') return names.flatMap((one, index) => names.slice(index + 1).flatMap(swapWith(row, one)));
  return names.flatMap((name) => {
    const [value, cell] = [row[name], columns[name]];
    const changed = value === undefined || cell === undefined ? null : changedCell(value, cell, kind);
    return changed === null ? [] : [(stream: RandomStream) => ({ [name]: changed(stream) })];
  });
}

function swapWith(row: Row, one: string): (other: string) => readonly Change[] {
  return (other) => {
    const [a, b] = [row[one], row[other]];
    return a === undefined || b === undefined || a === b ? [] : [() => ({ [one]: b, [other]: a })];
  };
}

/** Null where a value would stay as it is, or is no value for this kind. */
function changedCell(value: Scalar, cell: CellSpec, kind: AnomalyKind): ((stream: RandomStream) => Scalar) | null {
  if (kind === 'missing') return value === '' ? null : () => '';
  if (typeof value === 'number') return kind === 'outlier' ? outlier(value, scaleOf(cell)) : null;
  if (kind === 'padded') return value === '' ? null : (stream) => `${blanks(stream)}${value}${blanks(stream)}`;
  const upper = value.replace(SETTLED_LETTERS, (letter) => letter.toUpperCase());
  return kind === 'case' && upper !== value ? () => upper : null;
}

function outlier(value: number, scale: number): (() => number) | null {
  const units = Math.round(value * scale) * 1_000;
  return units === 0 || Math.abs(units) > MAX_OUTLIER ? null : () => units / scale;
}

function blanks(stream: RandomStream): string {
  return ' '.repeat(1 + stream.below(3));
}
