import type { Scalar } from '../instance.ts';
import { randomStream } from '../random-stream.ts';
import { cellDrawer } from './draw-cell.ts';
import type { DrawnValue, DrawSource, Row, SpecOf } from './drawn-value.ts';
import { plantAnomalies } from './plant-anomalies.ts';

/** Each column is a stream of its own, so that adding a column or a row changes no other cell. */
export function drawTable(spec: SpecOf<'table'>, source: DrawSource): DrawnValue {
  const columns = Object.entries(spec.columns).map(([name, cell]) => {
    const stream = randomStream(source.seed, `${source.label}/${name}`);
    const draw = cellDrawer(cell);
    return [name, Array.from({ length: spec.rows }, () => draw(stream))] as const;
  });
  const rows: Row[] = Array.from({ length: spec.rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, cells]) => [name, cells[row] as Scalar])),
  );
  if (spec.anomalies === undefined) return { value: rows };
  const { rows: value, planted } = plantAnomalies(rows, { ...spec, anomalies: spec.anomalies }, source);
  return { value, told: planted };
}
