import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createKey } from '../../src/api/keys.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import { appOver } from '../../src/bin/api.ts';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { loadConfig, withService } from '../../src/bin/with-service.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { saveAdmission } from '../../src/stages/task/admission-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { soundAudit } from '../../test/support/api-client.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type Aim, aimOf, cpuMs, type Row, round2 } from './measure.ts';

const SUITE = fileURLToPath(new URL('suite', import.meta.url));
const LOAD = fileURLToPath(new URL('load.ts', import.meta.url));
const RATE = 35;
const SECONDS = Number(process.env.SECONDS_X ?? 60);
/** Grades in flight at once: as many as cores can carry, and one that waits for the disk. */
const CONCURRENCY = '3';
const PREPARING_MS = 3_000;

interface Told {
  readonly latencies: readonly number[];
  readonly outcomes: Readonly<Record<string, number>>;
  readonly totalMs: number;
  readonly lateMs: number;
}

/**
 * Whole grades through the HTTP API: a hand-in comes with its call, and is screened, graded in fresh sandboxes, judged, decided
 * and paid; all of it is stored in PostgreSQL with signed evidence before the call is answered. Open loop: calls come at a fixed
 * rate whatever becomes of those before, and the time they wait counts. `rounds` is the number of runs of 60 s.
 */
export async function benchHttp(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const server = await startPostgres();
  if (server === null) throw new Error('PostgreSQL is needed: bash scripts/setup.sh --server');
  const settings = {
    PROCTOR_DATABASE_URL: server.localUrl,
    PROCTOR_GRADE_CONCURRENCY: CONCURRENCY,
    PROCTOR_SIGNING_KEY_FILE: '',
  };
  try {
    return await withScratchFolder('bench', (scratch) => {
      const overrides = { ...settings, PROCTOR_DATA_DIR: scratch };
      return withService((service) => serve(service, { overrides, rounds: Math.min(rounds, 3) }), overrides);
    });
  } finally {
    await server.dispose();
  }
}

async function serve(service: Service, { overrides, rounds }: { overrides: NodeJS.ProcessEnv; rounds: number }) {
  const task = await loadTask(SUITE);
  await saveTask(service.parts, task);
  await saveAdmission(service.parts.database, soundAudit(task));
  const { id } = await saveInstance(service.parts.database, makeInstance(task, 'bench'));
  const { text: key } = await createKey(service.parts.database, { name: 'bench', role: 'trainer' });
  const app = await appOver(service, loadConfig(overrides), createMetrics());
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const load = async (rate: number, seconds: number): Promise<Told> => {
    const args = ['--import', 'tsx', LOAD, url, key, id, join(SUITE, 'solution', 'textkit.py'), 'textkit.py'];
    const { stdout } = await promisify(execFile)(process.execPath, [...args, String(rate), String(seconds)], {
      maxBuffer: 64 * 1024 ** 2,
    });
    return JSON.parse(stdout) as Told;
  };
  try {
    await load(4, 2);
    await new Promise((resolve) => setTimeout(resolve, PREPARING_MS));
    const runs: Told[] = [];
    const cpuBefore = cpuMs();
    for (let round = 0; round < rounds; round++) runs.push(await load(RATE, SECONDS));
    return report(runs, { cpu: cpuMs() - cpuBefore, driver: service.parts.driver.name });
  } finally {
    await app.close();
  }
}

function report(runs: readonly Told[], { cpu, driver }: { cpu: number; driver: string }) {
  const sorted = runs.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
  const at = (share: number) => round2(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  const total = runs.reduce((sum, { totalMs }) => sum + totalMs, 0);
  const wrong = runs.flatMap(({ outcomes }) =>
    Object.entries(outcomes).flatMap(([outcome, times]) => (outcome === 'scored 1' ? [] : [times])),
  );
  const row: Row = {
    name: `HTTP to stored verdict with evidence, open loop at ${RATE}/s, ${driver}`,
    inFlight: Number(CONCURRENCY),
    n: sorted.length,
    ...{ p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) },
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
  ];
  return { rows: [row], aims };
}
