import { z } from 'zod';

const number = z.number().nullable().optional();
const reportSchema = z.object({
  bench: z.string(),
  machine: z.object({
    ...{ cpu: z.string(), cores: z.number(), memoryGiB: z.number(), kernel: z.string(), node: z.string() },
    ...{ python: z.string(), loadAverage: z.array(z.number()), at: z.string() },
  }),
  rows: z.array(
    z.object({
      ...{ name: z.string(), inFlight: number, n: number, p50Ms: number, p95Ms: number, p99Ms: number },
      ...{ perSecond: number, cpuMs: number, ratioToBare: number },
      ...{ value: number, low: number, high: number, note: z.string().optional() },
    }),
  ),
  aims: z.array(
    z.object({ name: z.string(), value: z.number(), unit: z.string(), aim: z.string(), holds: z.boolean() }),
  ),
});

/** The figures of docs/performance.md: each line of the text is one report that a bench printed (`--out`). */
export function performanceMarkdown(lines: string): string {
  const reports = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => reportSchema.parse(JSON.parse(line)));
  return reports.map(sectionOf).join('\n\n');
}

type Report = z.infer<typeof reportSchema>;

function sectionOf({ bench, machine, rows, aims }: Report): string {
  const { cpu, cores, memoryGiB, kernel, node, python, loadAverage, at } = machine;
  const told = `${cpu}, ${cores} cores, ${memoryGiB} GiB, Linux ${kernel}, Node ${node}, ${python}; load average before: ${loadAverage.join(', ')}; ${at.slice(0, 10)}`;
  return [
    `### \`npm run bench -- ${bench}\``,
    `${told}.`,
    ...timeTable(rows.filter(({ value }) => value === undefined)),
    ...figureTable(rows.filter(({ value }) => value !== undefined)),
    ...(aims.length === 0
      ? []
      : [
          table([
            ['aim', 'measured', 'aimed at', 'holds'],
            ...aims.map(({ name, value, unit, aim, holds }) => [
              ...[name, `${value} ${unit}`.trim(), aim, holds ? 'yes' : '**no**'],
            ]),
          ]),
        ]),
  ].join('\n\n');
}

function timeTable(rows: Report['rows']): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [
    row.name,
    ...[row.inFlight, row.n, row.p50Ms, row.p95Ms, row.p99Ms, row.perSecond, row.cpuMs, row.ratioToBare].map(plain),
  ]);
  return [table([['', 'in flight', 'n', 'p50 ms', 'p95 ms', 'p99 ms', 'per second', 'CPU ms', '× bare'], ...cells])];
}

/** Shares and counts of how well something works; their times, where they have any, stand in the note. */
function figureTable(rows: Report['rows']): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, value, n, low, high, note, p50Ms, p99Ms }) => {
    const interval = low === undefined || high === undefined ? '–' : `${plain(low)} to ${plain(high)}`;
    const times = p50Ms === undefined ? [] : [`p50 ${plain(p50Ms)} ms, p99 ${plain(p99Ms)} ms`];
    return [name, plain(value), plain(n), interval, [...times, ...(note === undefined ? [] : [note])].join('; ')];
  });
  return [table([['', 'value', 'n', '95 % interval', ''], ...cells])];
}

function plain(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : String(value);
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
