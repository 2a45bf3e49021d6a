import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { RandomStream } from '../../src/stages/instance/random-stream.ts';
import type { Program } from '../../test/support/program.ts';
import type { Cluster } from './cluster.ts';
import type { Seat } from './seats.ts';

/** Longer than a lease, so that what a stopped worker stores when it goes on is late. */
const STOPPED_MS = 9_000;
const AWAY_MS = 1_000;
const LOOK_MS = 100;
/** A worker has something to do within this time. */
const BUSY_MS = 5_000;
/** What a stopped process has sent to the database is done within this time. */
const SETTLED_MS = 50;
const LONGEST_RECOVERY_MS = 60_000;

/** Of Debian's faketime; without it no clock is moved. */
export const FAKE_CLOCK = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** What may be done to a cluster, by name. Each puts back what it took away; a worker's gives how long its work waited. */
export const FAULTS = {
  'a worker is killed': async (cluster, random) => {
    const seat = living(cluster.workers, random);
    return seat === null ? null : killed(cluster, seat);
  },
  'a worker is stopped for longer than its lease, and goes on': async ({ workers }, random) => {
    const program = living(workers, random)?.now();
    program?.child.kill('SIGSTOP');
    await pause(STOPPED_MS);
    program?.child.kill('SIGCONT');
    return null;
  },
  'a worker starts with a clock that is an hour off': async ({ workers }, random) => {
    const seat = existsSync(FAKE_CLOCK) ? living(workers, random) : null;
    if (seat === null) return null;
    await seat.end('SIGTERM');
    // only the time of day: a clock that nobody sets stays as it is
    await seat.start({ LD_PRELOAD: FAKE_CLOCK, FAKETIME: random.pick(['+1h', '-1h']), DONT_FAKE_MONOTONIC: '1' });
    return null;
  },
  'the reaper is killed': async ({ reaper }) => {
    await reaper.end('SIGKILL');
    await reaper.start();
    return null;
  },
  'the container engine is away': async ({ engine }) => {
    await engine?.stop();
    await pause(3 * AWAY_MS);
    await engine?.start();
    return null;
  },
  'the disk is full': async ({ disk }) => {
    disk?.fill();
    await pause(3 * AWAY_MS);
    disk?.free();
    return null;
  },
  'the API is killed': async ({ api }) => {
    await api.end('SIGKILL');
    await api.start();
    return null;
  },
  'Redis loses everything': async ({ redis }) => {
    await redis.crash();
    await redis.start();
    return null;
  },
  'Redis is away': async ({ redis }) => {
    await redis.crash();
    await pause(3 * AWAY_MS);
    await redis.start();
    return null;
  },
  'PostgreSQL is away': async ({ postgres }) => {
    postgres.crash();
    await pause(AWAY_MS);
    postgres.start();
    return null;
  },
} as const satisfies Record<string, (cluster: Cluster, random: RandomStream) => Promise<number | null>>;

function living(seats: readonly Seat[], random: RandomStream): Seat | null {
  const there = seats.filter((seat) => seat.now() !== null);
  return there.length === 0 ? null : random.pick(there);
}

/** Kills a worker in the middle of its work and starts another; gives the milliseconds until others had all that it held. */
async function killed(cluster: Cluster, seat: Seat): Promise<number | null> {
  const program = seat.now() as Program;
  const { pid } = program;
  for (const untilMs = performance.now() + BUSY_MS; performance.now() < untilMs; ) {
    if ((await heldBy(cluster, pid)) <= 0) continue;
    program.child.kill('SIGSTOP'); // so that it does not finish just before it is killed
    await pause(SETTLED_MS);
    if ((await heldBy(cluster, pid)) > 0) break;
    program.child.kill('SIGCONT');
  }
  if (seat.now() !== program) return null; // killed by another fault meanwhile
  await seat.end('SIGKILL');
  const startedMs = performance.now();
  const [, waitedMs] = await Promise.all([
    pause(AWAY_MS).then(() => seat.start()),
    untilTaken(cluster, pid, startedMs),
  ]);
  return waitedMs;
}

async function untilTaken(cluster: Cluster, pid: number, startedMs: number): Promise<number | null> {
  let wasHeld = false;
  while (performance.now() - startedMs < LONGEST_RECOVERY_MS) {
    const left = await heldBy(cluster, pid);
    if (left === 0) return wasHeld ? Math.round(performance.now() - startedMs) : null;
    if (left > 0) wasHeld = true;
    await pause(LOOK_MS);
  }
  return LONGEST_RECOVERY_MS;
}

/** How many hand-ins a process has claimed; -1 while the database is away. */
function heldBy({ database }: Cluster, pid: number): Promise<number> {
  return database
    .query('SELECT 1 FROM work JOIN workers ON workers.id = work.worker_id WHERE workers.name LIKE $1', [`%:${pid}`])
    .then((rows) => rows.length)
    .catch(() => -1);
}
