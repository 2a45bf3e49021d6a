const [WIDTH, HEIGHT] = [640, 220];
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 12, 44];

/** One line of a picture over days: shares from 0 to 1, in the order of the days. */
export interface DayLine {
  readonly name: string;
  readonly values: readonly number[];
}

/** Shares over days, at most four lines; their numbers stand in a table beneath. */
export function DayChart(chart: {
  readonly title: string;
  readonly days: readonly string[];
  readonly lines: readonly DayLine[];
}) {
  const { title, days, lines } = chart;
  if (days.length === 0) return <p class="dim">Nothing was decided in this time.</p>;
  const x = (index: number) => LEFT + (days.length === 1 ? 0.5 : index / (days.length - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <g key={share}>
            <line class="axis" x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} />
            <text class="dim" x={LEFT - 8} y={y(share) + 4} text-anchor="end">
              {`${share * 100} %`}
            </text>
          </g>
        ))}
        {lines.slice(0, 4).map(({ name, values }, line) => (
          <g key={name}>
            <polyline
              class={`line s${line}`}
              points={values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}
            />
            {values.map((value, index) => (
              <circle key={days[index]} class={`f${line}`} cx={x(index)} cy={y(value)} r={3} />
            ))}
            <rect class={`f${line}`} x={LEFT + line * 150} y={HEIGHT - 13} width={10} height={10} rx={2} />
            <text x={LEFT + line * 150 + 16} y={HEIGHT - 4}>
              {name}
            </text>
          </g>
        ))}
        <text class="dim" x={LEFT} y={HEIGHT - 26}>
          {days[0]}
        </text>
        <text class="dim" x={WIDTH - RIGHT} y={HEIGHT - 26} text-anchor="end">
          {days.length > 1 ? days.at(-1) : ''}
        </text>
      </svg>
      <details>
        <summary>As numbers</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">day</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day, index) => (
                <tr key={day}>
                  <td>{day}</td>
                  {lines.map(({ name, values }) => (
                    <td key={name} class="number">{`${((values[index] ?? 0) * 100).toFixed(1)} %`}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
