import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { soundAudit } from '../../test/support/api-client.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { startProgram } from '../../test/support/program.ts';
import { post as postTo } from '../chaos/client.ts';
import { type Aim, aimOf, cpuMs, percentiles, type Row, residentMiB, round2 } from './measure.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const SUITE = fileURLToPath(new URL('suite', import.meta.url));
const LOAD = fileURLToPath(new URL('load.ts', import.meta.url));
const RATE = 35;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
/** Grades in flight at once: as many as cores can carry, and one that waits for the disk. */
const CONCURRENCY = '3';
const PREPARING_MS = 3_000;
const BURST = 1_000;
const BURST_CONNECTIONS = 64;

interface Told {
  readonly latencies: readonly number[];
  readonly outcomes: Readonly<Record<string, number>>;
  readonly totalMs: number;
  readonly lateMs: number;
}

/**
 * Whole grades through the HTTP API of the built program (dist/): a hand-in comes with its call, and is screened, graded in fresh
 * sandboxes, judged, decided and paid; all of it is stored in PostgreSQL with signed evidence before the call is answered. Open
 * loop: calls come at a fixed rate whatever becomes of those before, and the time they wait counts. `rounds` runs of 60 s, at most 3.
 */
export async function benchHttp(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  await promisify(execFile)('bash', [join(REPOSITORY, 'scripts/build.sh')]);
  const server = await startPostgres();
  if (server === null) throw new Error('PostgreSQL is needed: bash scripts/setup.sh --server');
  try {
    return await withScratchFolder('bench', async (scratch) => {
      const service = await startService({ PROCTOR_DATABASE_URL: server.localUrl, PROCTOR_DATA_DIR: scratch });
      try {
        return await drive(service, Math.min(rounds, 3));
      } finally {
        await service.stop();
      }
    });
  } finally {
    await server.dispose();
  }
}

interface Running {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** Starts the built program on a free port and waits for what it prints: its address and a first key. */
async function startService(settings: NodeJS.ProcessEnv): Promise<Running> {
  const program = await startProgram(['serve', '--port', '0', '--tasks', SUITE], {
    settings: {
      PROCTOR_GRADE_CONCURRENCY: CONCURRENCY,
      PROCTOR_LOG_LEVEL: 'error',
      PROCTOR_MAX_ATTEMPTS: '0',
      ...settings,
    },
    ready: /listens on http/,
  });
  return {
    url: /http:\/\/[^\s;]+/.exec(program.printed)?.[0] ?? '',
    key: /proctor_\w+/.exec(program.printed)?.[0] ?? '',
    pid: program.pid,
    stop: () => program.end('SIGTERM'),
  };
}

async function drive({ url, key, pid }: Running, rounds: number) {
  const post = (path: string, body: object) => postTo({ url, apiKey: key }, path, body);
  const task = await loadTask(SUITE);
  await post('/v1/admissions', soundAudit(task));
  const { instance_id: id } = await post('/v1/instances', { task: task.name, seed: 'bench' });
  const load = async (rate: number, seconds: number): Promise<Told> => {
    const args = ['--import', 'tsx', LOAD, url, key, String(id), join(SUITE, 'solution', 'textkit.py'), 'textkit.py'];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, String(rate), String(seconds)], {
      maxBuffer: 64 * 1024 ** 2,
    });
    return JSON.parse(stdout) as Told;
  };
  await load(4, 2);
  await new Promise((resolve) => setTimeout(resolve, PREPARING_MS));
  const runs: Told[] = [];
  const cpuBefore = cpuMs();
  for (let round = 0; round < rounds; round++) runs.push(await load(RATE, SECONDS));
  const cpu = cpuMs() - cpuBefore;
  const burst = await burstOf(post, String(id));
  const steady = report(runs, { cpu, memory: residentMiB(pid) });
  return { rows: [...steady.rows, burst.row], aims: [...steady.aims, ...burst.aims] };
}

/** Many hand-ins as fast as they are taken, over some connections; then their rewards. */
async function burstOf(post: (path: string, body: object) => Promise<Record<string, unknown>>, instanceId: string) {
  const content = await readFile(join(SUITE, 'solution', 'textkit.py'), 'utf8');
  const body = { instance_id: instanceId, files: [{ path: 'textkit.py', content }] };
  const [walls, ids]: [number[], string[]] = [[], []];
  const [startedMs, cpuBefore] = [performance.now(), cpuMs()];
  let sent = 0;
  const send = async () => {
    while (sent++ < BURST) {
      const sentMs = performance.now();
      const { submission_id: id } = await post('/v1/submissions', body);
      walls.push(performance.now() - sentMs);
      ids.push(String(id));
    }
  };
  await Promise.all(Array.from({ length: BURST_CONNECTIONS }, send));
  const acceptedMs = performance.now() - startedMs;
  const items = ids.map((id) => ({ id, submission_id: id }));
  const told = (await post('/v1/rewards', { items, deadline_ms: 300_000 })) as unknown as {
    items: readonly { status: string; reward: number }[];
  };
  const lost = BURST - told.items.filter(({ status, reward }) => status === 'scored' && reward === 1).length;
  const sorted = walls.toSorted((a, b) => a - b);
  const row: Row = {
    ...{ name: `burst of ${BURST} hand-ins until all are accepted; CPU until all are graded`, n: BURST },
    ...{ inFlight: BURST_CONNECTIONS, ...percentiles(sorted) },
    ...{
      perSecond: round2((BURST / acceptedMs) * 1000),
      cpuMs: round2((cpuMs() - cpuBefore) / BURST),
      ratioToBare: null,
    },
  };
  const aims = [
    aimOf(`burst of ${BURST}: all accepted after`, { value: round2(acceptedMs), unit: 'ms' }, { most: 1_000 }),
    aimOf(`burst of ${BURST}: not graded as they must be`, { value: lost, unit: '' }, { most: 0 }),
  ];
  return { row, aims };
}

function report(runs: readonly Told[], { cpu, memory }: { cpu: number; memory: number }) {
  const sorted = runs.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
  const total = runs.reduce((sum, { totalMs }) => sum + totalMs, 0);
  const wrong = runs.flatMap(({ outcomes }) =>
    Object.entries(outcomes).flatMap(([outcome, times]) => (outcome === 'scored 1' ? [] : [times])),
  );
  const row: Row = {
    name: `HTTP to stored verdict with evidence, open loop at ${RATE}/s`,
    inFlight: Number(CONCURRENCY),
    n: sorted.length,
    ...percentiles(sorted),
    perSecond: round2((sorted.length / total) * 1000),
    cpuMs: round2(cpu / sorted.length),
    ratioToBare: null,
  };
  const aims = [
    aimOf('graded through the HTTP API', { value: row.perSecond, unit: '1/s' }, { least: RATE * 0.99 }),
    aimOf('open loop: p95', { value: row.p95Ms, unit: 'ms' }, { most: 60 }),
    aimOf(
      'answers that are not what they must be',
      { value: wrong.reduce((sum, n) => sum + n, 0), unit: '' },
      { most: 0 },
    ),
    aimOf('memory of the service', { value: memory, unit: 'MiB' }, { most: 400 }),
  ];
  return { rows: [row], aims };
}
