import type { MapPoint } from './map.ts';

/** What a drawing says besides its points. */
export interface MapOptions {
  /** The session that is looked at, drawn last and larger. */
  readonly marked?: MapPoint | null;
  /** What the map is of. */
  readonly title?: string;
  /** Names of clusters by label, for the legend. */
  readonly names?: ReadonlyMap<string, string>;
  /** Begins the ids of the drawing, where there are several on a page. */
  readonly id?: string;
}

const [WIDTH, HEIGHT, MARGIN] = [640, 400, 16];
const LEGEND_ROW = 18;
/** Clusters that have a sign of their own, the largest first; the others share the last one. */
const SIGNS = [
  ['circle', '#0072b2'],
  ['square', '#d55e00'],
  ['triangle', '#009e73'],
  ['diamond', '#cc79a7'],
  ['circle', '#e69f00'],
  ['square', '#56b4e9'],
] as const;
const ALONE = ['circle', '#8a8a8a'] as const;
const SIZE = 3;
const MOST_DRAWN = 5_000;
const LONGEST_NAME = 80;

/**
 * Draws sessions on two axes as one SVG element, clusters told apart by shape as well as by colour (Okabe, Ito 2008), with one session marked. No
 * script, no style and nothing from elsewhere is in it, and every text is escaped. Points that are nowhere are left out.
 */
export function drawMap(points: readonly MapPoint[], options: MapOptions = {}): string {
  const drawn = points.filter(isSomewhere).slice(0, MOST_DRAWN);
  const marked =
    options.marked !== undefined && options.marked !== null && isSomewhere(options.marked) ? options.marked : null;
  const place = placing(marked === null ? drawn : [...drawn, marked]);
  const labels = bySize(drawn);
  const id = (options.id ?? 'map').replace(/[^a-z0-9-]/gi, '-');
  const height = HEIGHT + LEGEND_ROW * (Math.min(labels.length, SIGNS.length) + (marked === null ? 0 : 1));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">`,
    `<title id="${id}-title">${escaped(options.title ?? 'Sessions by their behaviour')}</title>`,
    `<desc id="${id}-desc">${escaped(described({ drawn, labels, marked }))}</desc>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" fill="none" stroke="#8a8a8a"/>`,
    ...drawn.map((point) => sign(signOf(point.label, labels), place(point), SIZE)),
    ...(marked === null ? [] : [markSign(place(marked), signOf(marked.label, labels))]),
    ...legend({ labels, marked, names: options.names ?? new Map() }),
    '</svg>',
  ].join('');
}

function isSomewhere({ x, y }: MapPoint): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

type Spot = readonly [x: number, y: number];
type Sign = readonly [shape: string, colour: string];

function placing(points: readonly MapPoint[]): (point: MapPoint) => Spot {
  const range = (values: readonly number[]) => {
    const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
    const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
    return { low, width: high > low ? high - low : 0 };
  };
  const [across, up] = [range(points.map(({ x }) => x)), range(points.map(({ y }) => y))];
  const share = (value: number, { low, width }: { low: number; width: number }) =>
    width === 0 ? 0.5 : (value - low) / width;
  return ({ x, y }) => [
    MARGIN + share(x, across) * (WIDTH - 2 * MARGIN),
    HEIGHT - MARGIN - share(y, up) * (HEIGHT - 2 * MARGIN),
  ];
}

function bySize(points: readonly MapPoint[]): readonly (readonly [label: string, sessions: number])[] {
  const counts = new Map<string, number>();
  for (const { label } of points) if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
}

function signOf(label: string | null, labels: ReturnType<typeof bySize>): Sign {
  const rank = labels.findIndex(([name]) => name === label);
  if (rank === -1) return ALONE;
  return SIGNS[Math.min(rank, SIGNS.length - 1)] ?? ALONE;
}

function sign([shape, colour]: Sign, [x, y]: Spot, size: number): string {
  const [left, right, top, bottom] = [x - size, x + size, y - size, y + size].map(short);
  const [middle, centre] = [short(x), short(y)];
  switch (shape) {
    case 'square':
      return `<rect x="${left}" y="${top}" width="${2 * size}" height="${2 * size}" fill="${colour}" fill-opacity="0.7"/>`;
    case 'triangle':
      return `<path d="M${middle} ${top}L${right} ${bottom}L${left} ${bottom}Z" fill="${colour}" fill-opacity="0.7"/>`;
    case 'diamond':
      return `<path d="M${middle} ${top}L${right} ${centre}L${middle} ${bottom}L${left} ${centre}Z" fill="${colour}" fill-opacity="0.7"/>`;
    default:
      return `<circle cx="${middle}" cy="${centre}" r="${size}" fill="${colour}" fill-opacity="0.7"/>`;
  }
}

function markSign(at: Spot, its: Sign): string {
  const [x, y] = [short(at[0]), short(at[1])];
  return `<circle cx="${x}" cy="${y}" r="10" fill="none" stroke="#000000" stroke-width="2"/>${sign(its, at, 5)}`;
}

interface Legend {
  readonly labels: ReturnType<typeof bySize>;
  readonly marked: MapPoint | null;
  readonly names: ReadonlyMap<string, string>;
}

function legend({ labels, marked, names }: Legend): readonly string[] {
  const rows = labels.slice(0, SIGNS.length).map(([label, sessions], rank) => {
    const name = names.get(label);
    const others = rank === SIGNS.length - 1 && labels.length > SIGNS.length ? ' and others' : '';
    return { label, text: `${label}${name === undefined ? '' : ` ${cut(name)}`}${others}: ${sessions}` };
  });
  const drawn = rows.map(({ label, text }, row) => entry(sign(signOf(label, labels), rowSpot(row), SIZE), row, text));
  if (marked === null) return drawn;
  const ring = `<circle cx="${rowSpot(rows.length)[0]}" cy="${rowSpot(rows.length)[1]}" r="6" fill="none" stroke="#000000" stroke-width="2"/>`;
  return [...drawn, entry(ring, rows.length, 'this session')];
}

function rowSpot(row: number): Spot {
  return [MARGIN, HEIGHT + LEGEND_ROW * row + LEGEND_ROW / 2];
}

function entry(drawn: string, row: number, text: string): string {
  const y = short(rowSpot(row)[1] + 4);
  return `${drawn}<text x="${MARGIN + 14}" y="${y}" font-size="12" font-family="sans-serif" fill="currentColor">${escaped(text)}</text>`;
}

function described({ drawn, labels, marked }: { drawn: readonly MapPoint[] } & Omit<Legend, 'names'>): string {
  const clustered = labels.reduce((sum, [, sessions]) => sum + sessions, 0);
  const where = marked === null ? '' : ` The marked session is in ${marked.label ?? 'no cluster'}.`;
  return `${drawn.length} sessions in ${labels.length} clusters, ${drawn.length - clustered} in none.${where}`;
}

function cut(text: string): string {
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (sign) => signs[sign] ?? '');
}
