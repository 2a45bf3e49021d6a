import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { soundAudit } from '../../test/support/api-client.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type Program, startProgram } from '../../test/support/program.ts';
import { RIGHT, TINY_TOML, writeTinyTask } from '../../test/support/tiny-task.ts';
import { post } from '../chaos/client.ts';
import { type Aim, aimOf, cpuMs, percentiles, type Row, round2 } from './measure.ts';

const BUILD = fileURLToPath(new URL('../build.sh', import.meta.url));
const LOAD = fileURLToPath(new URL('reward-load.ts', import.meta.url));
/** Calls at once, and over how many connections. */
const BURSTS = [
  { calls: 64, connections: 64 },
  { calls: 512, connections: 256 },
  { calls: 4_096, connections: 1_024 },
] as const;
const READY_RATE = 200;
const READY_SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const SHARE = Math.min(Number(process.env.BENCH_SHARE ?? 1), 1);
/** A task that refuses what it is handed in: more files than it takes. No sandbox is made for such a grade. */
const REFUSING = TINY_TOML.replace('include = ["double.py"]', 'include = ["*"]\nmax_files = 1');

interface Told {
  readonly latencies: readonly number[];
  readonly outcomes: Readonly<Record<string, number>>;
  readonly totalMs: number;
}

/**
 * Rewards by single-item calls over loopback, as rollouts end: a server process with PostgreSQL (`fsync` off). The bursts and the empty grades
 * bring hand-ins that are refused whole (more files than the task takes), so that no sandbox is made: all else is done, up to signed evidence
 * and the stored reward. Then calls for an episode that is graded, in an open loop. BENCH_SHARE makes the bursts smaller, BENCH_SECONDS the loop.
 */
export async function benchRewards(): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  await promisify(execFile)('bash', [BUILD]);
  const server = await startPostgres();
  if (server === null) throw new Error('PostgreSQL is needed: bash scripts/setup.sh --server');
  try {
    return await withScratchFolder('bench', async (scratch) => {
      const tasks = await writeTinyTask(join(scratch, 'task'), { 'task.toml': REFUSING });
      const program = await startProgram(['serve', '--port', '0', '--tasks', tasks], {
        settings: {
          ...{ PROCTOR_DATABASE_URL: server.localUrl, PROCTOR_DATA_DIR: join(scratch, 'data') },
          ...{ PROCTOR_LOG_LEVEL: 'error', PROCTOR_MAX_ATTEMPTS: '0', PROCTOR_GRADE_CONCURRENCY: '8' },
        },
        ready: /listens on http/,
      });
      try {
        return await drive(program, { tasks, scratch });
      } finally {
        await program.end('SIGTERM');
      }
    });
  } finally {
    await server.dispose();
  }
}

async function drive(program: Program, { tasks, scratch }: { tasks: string; scratch: string }) {
  const url = /http:\/\/[^\s;]+/.exec(program.printed)?.[0] ?? '';
  const apiKey = /proctor_\w+/.exec(program.printed)?.[0] ?? '';
  const task = await loadTask(tasks);
  await post({ url, apiKey }, '/v1/admissions', soundAudit(task));
  const { instance_id } = await post({ url, apiKey }, '/v1/instances', { task: task.name });
  const file = join(scratch, 'items');
  const load = async (items: readonly object[], connections: number, rate = 0): Promise<Told> => {
    await writeFile(file, items.map((item) => JSON.stringify(item)).join('\n'));
    const args = ['--import', 'tsx', LOAD, url, apiKey, file, String(connections), String(rate)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 ** 2 });
    return JSON.parse(stdout) as Told;
  };
  const files = ['double.py', 'another.py'].map((path) => ({ path, content: RIGHT }));
  const empty = (n: number) => Array.from({ length: n }, (_, id) => ({ id, instance_id, artifact: { files } }));
  await load(empty(32), 32);
  const made = [];
  for (const { calls, connections } of BURSTS) {
    const count = Math.max(1, Math.round(calls * SHARE));
    const name = `burst of ${count} single-item calls, graded without a sandbox`;
    made.push(measured(name, { connections }, await timed(program.pid, () => load(empty(count), connections))));
  }
  const { items: [paid] = [] } = (await post({ url, apiKey }, '/v1/rewards', { items: empty(1) })) as {
    items?: readonly { submission_id: string }[];
  };
  const ready = Array.from({ length: READY_RATE * READY_SECONDS }, (_, id) => ({
    id,
    submission_id: paid?.submission_id,
  }));
  const loop = await timed(program.pid, () => load(ready, 256, READY_RATE));
  const graded = measured(`calls for a graded episode, open loop at ${READY_RATE}/s`, { connections: 256 }, loop);
  return report(made, graded);
}

interface Timed {
  readonly told: Told;
  readonly cpu: number;
  /** CPU of the service's own process. */
  readonly serviceMs: number;
}

type Measured = ReturnType<typeof measured>;

function measured(name: string, { connections }: { connections: number }, { told, cpu, serviceMs }: Timed) {
  const { latencies, outcomes, totalMs } = told;
  const row: Row = {
    ...{ name, inFlight: connections, n: latencies.length, ...percentiles(latencies.toSorted((a, b) => a - b)) },
    perSecond: round2((latencies.length / totalMs) * 1000),
    ...{ cpuMs: round2(cpu / latencies.length), ratioToBare: null },
  };
  // a hand-in that was refused whole is a plain zero
  return {
    row,
    serviceMs: round2(serviceMs / latencies.length),
    lost: latencies.length - (outcomes['scored 0'] ?? 0),
    outcomes,
  };
}

function report(bursts: readonly Measured[], graded: Measured) {
  for (const { row, outcomes, serviceMs } of [...bursts, graded]) {
    const told = `${JSON.stringify(outcomes)}; CPU of the service ${serviceMs} ms a call`;
    process.stderr.write(`${row.name}: ${told}
`);
  }
  const best = Math.max(...bursts.map(({ row }) => row.perSecond));
  return {
    rows: [...bursts, graded].map(({ row }) => row),
    aims: [
      ...bursts.map(({ row, lost }) => aimOf(`${row.name}: lost`, { value: lost, unit: '' }, { most: 0 })),
      aimOf('calls for a graded episode: lost', { value: graded.lost, unit: '' }, { most: 0 }),
      aimOf('calls for a graded episode: p99', { value: graded.row.p99Ms ?? 0, unit: 'ms' }, { most: 50 }),
      aimOf('empty grades end to end', { value: best, unit: '1/s' }, { least: 300 }),
    ],
  };
}

async function timed(pid: number, work: () => Promise<Told>): Promise<Timed> {
  const [before, ownBefore] = [cpuMs(), processMs(pid)];
  const told = await work();
  return { told, cpu: cpuMs() - before, serviceMs: processMs(pid) - ownBefore };
}

/** CPU of a process so far, its programs not counted: utime and stime of proc_pid_stat(5), in ticks of 10 ms. */
function processMs(pid: number): number {
  const [utime = 0, stime = 0] =
    readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
  return (utime + stime) * 10;
}
