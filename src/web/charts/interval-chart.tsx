import { visibleLine } from '../visible.ts';

const [WIDTH, ROW] = [640, 26];
const [FROM, TO] = [230, 540];
const MOST_NAME = 32;

/** A share with the interval in which it may be. `value` null: nothing is known but the interval. */
export interface IntervalRow {
  readonly name: string;
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  /** What the share is of, in words. */
  readonly of: string;
}

/** Shares from 0 to 1 as dots with their intervals, and the same as a table. */
export function IntervalChart({ title, rows }: { readonly title: string; readonly rows: readonly IntervalRow[] }) {
  const height = rows.length * ROW + 24;
  const x = (share: number) => FROM + share * (TO - FROM);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={title}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line class="axis" x1={x(share)} x2={x(share)} y1={4} y2={height - 20} />
            <text class="dim" x={x(share)} y={height - 4} text-anchor="middle">
              {`${share * 100} %`}
            </text>
          </g>
        ))}
        {rows.map(({ name, value, low, high, of }, index) => (
          <g key={name}>
            <text x={FROM - 12} y={index * ROW + 20} text-anchor="end">
              {visibleLine(name, MOST_NAME)}
            </text>
            <line class="whisker" x1={x(low)} x2={x(high)} y1={index * ROW + 16} y2={index * ROW + 16} />
            {value !== null && <circle class="dot" cx={x(value)} cy={index * ROW + 16} r={6} />}
            <text class="dim" x={TO + 14} y={index * ROW + 20}>
              {of}
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary>As numbers</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col" class="number">
                share
              </th>
              <th scope="col" class="number">
                95 % interval
              </th>
              <th scope="col" class="number">
                of
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, value, low, high, of }) => (
              <tr key={name}>
                <td>{visibleLine(name, 120)}</td>
                <td class="number">{value === null ? '–' : percent(value)}</td>
                <td class="number">{`${percent(low)} to ${percent(high)}`}</td>
                <td class="number">{of}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
