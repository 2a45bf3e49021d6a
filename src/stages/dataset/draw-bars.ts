/** How often something was counted. */
export interface Bar {
  readonly name: string;
  readonly count: number;
}

const [WIDTH, ROW, NAMES, NUMBERS] = [720, 22, 260, 80];

/** A bar chart as one SVG file, without script; names may be anybody's. The same bars give the same bytes. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const room = WIDTH - NAMES - NUMBERS;
  const height = 40 + bars.length * ROW;
  const rows = bars.map(({ name, count }, index) => {
    const y = 36 + index * ROW;
    const width = Math.round((count / most) * room * 10) / 10;
    return [
      `<text x="${NAMES - 8}" y="${y + 14}" text-anchor="end">${escaped(name.slice(0, 40))}</text>`,
      `<rect x="${NAMES}" y="${y + 3}" width="${width}" height="${ROW - 7}" fill="#4a7fb5"/>`,
      `<text x="${NAMES + width + 6}" y="${y + 14}">${count}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<text x="8" y="20" font-size="15">${escaped(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
