const SIZES = { whole: [640, 220], small: [340, 170] } as const;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 12, 12, 44];

/** One line of a picture over days: shares from 0 to 1, in the order of the days; null: there was nothing to have a share of. */
export interface DayLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** Shares over days, at most four lines; their numbers stand in a table beneath. */
export function DayChart(chart: {
  readonly title: string;
  readonly days: readonly string[];
  readonly lines: readonly DayLine[];
  /** Small ones stand beside each other. */
  readonly size?: keyof typeof SIZES;
}) {
  const { title, days, lines, size = 'whole' } = chart;
  const [width, height] = SIZES[size];
  if (days.length === 0) return <p class="dim">Nothing was decided in this time.</p>;
  const x = (index: number) => LEFT + (days.length === 1 ? 0.5 : index / (days.length - 1)) * (width - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (height - TOP - BOTTOM);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <g key={share}>
            <line class="axis" x1={LEFT} x2={width - RIGHT} y1={y(share)} y2={y(share)} />
            <text class="dim" x={LEFT - 8} y={y(share) + 4} text-anchor="end">
              {`${share * 100} %`}
            </text>
          </g>
        ))}
        {lines.slice(0, 4).map(({ name, values }, line) => (
          <g key={name}>
            {stretches(values).map((stretch) => (
              <polyline
                key={stretch[0]?.index}
                class={`line s${line}`}
                points={stretch.map(({ value, index }) => `${x(index)},${y(value)}`).join(' ')}
              />
            ))}
            {stretches(values)
              .flat()
              .map(({ value, index }) => (
                <circle key={days[index]} class={`f${line}`} cx={x(index)} cy={y(value)} r={3} />
              ))}
            <rect class={`f${line}`} x={LEFT + line * 150} y={height - 13} width={10} height={10} rx={2} />
            <text x={LEFT + line * 150 + 16} y={height - 4}>
              {name}
            </text>
          </g>
        ))}
        <text class="dim" x={LEFT} y={height - 26}>
          {days[0]}
        </text>
        <text class="dim" x={width - RIGHT} y={height - 26} text-anchor="end">
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
                    <td key={name} class="number">
                      {percent(values[index] ?? null)}
                    </td>
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

/** Days in a row that have a value: a line is not drawn across a day that has none. */
function stretches(values: DayLine['values']) {
  const all: { readonly index: number; readonly value: number }[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const last = all.at(-1);
    if (last?.at(-1)?.index === index - 1) last.push({ index, value });
    else all.push([{ index, value }]);
  }
  return all;
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`;
}
