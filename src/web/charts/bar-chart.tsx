import { grouped, visibleLine } from '../visible.ts';

const [WIDTH, ROW] = [640, 26];
const [FROM, TO] = [230, 580];
const MOST_NAME = 32;

/** Counts as bars with the number beside each; what is on the picture is all there is. */
export function BarChart({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly { name: string; count: number }[];
}) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${rows.length * ROW + 6}`} role="img" aria-label={title}>
        {rows.map(({ name, count }, index) => (
          <g key={name}>
            <text x={FROM - 12} y={index * ROW + 19} text-anchor="end">
              {visibleLine(name, MOST_NAME)}
            </text>
            <rect class="bar" x={FROM} y={index * ROW + 5} width={(count / most) * (TO - FROM)} height={18} rx={3} />
            <text x={FROM + (count / most) * (TO - FROM) + 8} y={index * ROW + 19}>
              {grouped(count)}
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary>As numbers</summary>
        <table>
          <tbody>
            {rows.map(({ name, count }) => (
              <tr key={name}>
                <td>{visibleLine(name, 120)}</td>
                <td class="number">{grouped(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
