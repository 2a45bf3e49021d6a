import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { BUNDLED } from '../../src/bin/bundled.ts';
import { openDriver } from '../../src/bin/open-driver.ts';
import { loadConfig } from '../../src/bin/with-service.ts';
import {
  LINK_DESCRIPTORS,
  type Sandbox,
  type SandboxDriver,
  type SandboxLimits,
} from '../../src/platform/sandbox/sandbox.ts';
import { openGraderTools } from '../../src/stages/grade/grader-tools.ts';
import { type Aim, aimOf, type Row } from './measure.ts';

const PYTHON = ['/usr/bin/python3', '-I', '-B'] as const;
const DESCRIPTORS = [String(LINK_DESCRIPTORS.read), String(LINK_DESCRIPTORS.write)];
const MEBIBYTE = 1024 ** 2;
const LIMITS: SandboxLimits = {
  wallMs: 80_000,
  cpuMs: 80_000,
  memoryBytes: 512 * MEBIBYTE,
  processes: 16,
  outputBytes: MEBIBYTE,
  fileBytes: MEBIBYTE,
  diskBytes: 16 * MEBIBYTE,
};
const PLAIN_CALL = 'plain call';
const INSTALL_RPYC = 'apt-get install -y --no-install-recommends python3-rpyc';
/** What a plain call through the split may take, and how many there must be in a second. */
const MOST_MS = 0.15;
const LEAST_PER_SECOND = 5_000;

const toldSchema = z.object({
  rpyc: z.string().nullable(),
  rows: z.array(
    z.object({
      way: z.enum(['in-process', 'split', 'RPyC']),
      work: z.string(),
      n: z.int(),
      p50Ms: z.number(),
      p95Ms: z.number(),
      perSecond: z.number(),
      cpuMs: z.number(),
    }),
  ),
});
type Told = z.infer<typeof toldSchema>;

/** A row that could not be measured here, and what would change that. */
interface AbsentRow {
  readonly name: string;
  readonly absent: string;
}

/** Calls through the split between two real sandboxes, beside the same calls in one process and by RPyC. */
export async function benchSplit(rounds: number) {
  const { driver } = openDriver(loadConfig());
  try {
    const rows = rowsOf(await runCalls(driver, rounds));
    return { rows, aims: splitAims(rows) };
  } finally {
    await driver.close();
  }
}

/** What is promised of a plain call, and what it was. */
function splitAims(rows: readonly (Row | AbsentRow)[]): readonly Aim[] {
  const row = rows.find(({ name }) => name === nameOf({ work: PLAIN_CALL, way: 'split' }));
  if (row === undefined || 'absent' in row) throw new Error('the plain call was not measured');
  const { p50Ms, perSecond } = row;
  return [
    aimOf(`${PLAIN_CALL}: p50`, { value: p50Ms, unit: 'ms' }, { most: MOST_MS }),
    aimOf(`${PLAIN_CALL}: calls`, { value: perSecond, unit: '1/s' }, { least: LEAST_PER_SECOND }),
  ];
}

async function runCalls(driver: SandboxDriver, rounds: number): Promise<Told> {
  const tools = await openGraderTools(BUNDLED.graderFolder);
  const opened: Sandbox[] = [];
  const open = async (shown: Readonly<Record<string, string>>, files: readonly string[]) => {
    const sandbox = await driver.create({ root: { kind: 'host' }, limits: LIMITS, tools: shown });
    opened.push(sandbox);
    for (const file of files) {
      await sandbox.writeFile(file, await readFile(fileURLToPath(new URL(file, import.meta.url))));
    }
    return sandbox;
  };
  const link = await driver.link();
  try {
    const candidate = await open(tools.candidate, ['tiny.py']);
    const examiner = await open(tools.examiner, ['split_calls.py', 'tiny.py']);
    const host = await candidate.start({
      argv: [...PYTHON, '/proctor/split/host.py', ...DESCRIPTORS, '/work'],
      link: link.ends[1],
    });
    host.stdout.resume();
    const calls = await examiner.start({
      argv: [...PYTHON, '/work/split_calls.py', ...DESCRIPTORS, String(rounds)],
      link: link.ends[0],
    });
    const [printed, { ending, stderr }] = await Promise.all([text(calls.stdout), calls.ended]);
    host.stop();
    await host.ended;
    if (ending.kind !== 'exited' || ending.code !== 0) {
      throw new Error(`the calls ended as ${JSON.stringify(ending)}: ${stderr.toString('utf8').slice(-2_000)}`);
    }
    return toldSchema.parse(JSON.parse(printed));
  } finally {
    link.close();
    await Promise.all(opened.map((sandbox) => sandbox.destroy()));
  }
}

function rowsOf({ rpyc, rows }: Told): readonly (Row | AbsentRow)[] {
  const works = [...new Set(rows.map(({ work }) => work))];
  return works.flatMap((work) => {
    const measured = rows.filter((row) => row.work === work);
    const bareMs = measured.find(({ way }) => way === 'in-process')?.p50Ms ?? Number.NaN;
    const found: (Row | AbsentRow)[] = measured.map((row) => ({
      name: nameOf(row, rpyc),
      inFlight: 1,
      n: row.n,
      p50Ms: short(row.p50Ms),
      p95Ms: short(row.p95Ms),
      perSecond: short(row.perSecond),
      cpuMs: short(row.cpuMs),
      ratioToBare: row.way === 'in-process' ? null : short(row.p50Ms / bareMs),
    }));
    const absent = { name: nameOf({ work, way: 'RPyC' }), absent: `RPyC is not installed: ${INSTALL_RPYC}` };
    return rpyc === null ? [...found, absent] : found;
  });
}

function nameOf({ work, way }: { work: string; way: string }, rpyc: string | null = null): string {
  return `${work}, ${way === 'RPyC' && rpyc !== null ? `RPyC ${rpyc}` : way}`;
}

/** Four digits: a call in one process takes some ten-thousandths of a millisecond. */
function short(value: number): number {
  return Number(value.toPrecision(4));
}
