import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { digestOf } from '../../src/platform/base/digest.ts';
import { openFileBlobs } from '../../src/platform/blobs/file-blobs.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import type { Episode } from '../../src/stages/dataset/episode.ts';
import type { EpisodeSource } from '../../src/stages/dataset/episode-source.ts';
import { guardOf } from '../../src/stages/dataset/guard.ts';
import { parseRecipe } from '../../src/stages/dataset/recipe.ts';
import { writeDataset } from '../../src/stages/dataset/write-dataset.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { archiveEvents } from '../../src/stages/session/archive.ts';
import { EMPTY_LOG, type NewEvent } from '../../src/stages/session/event.ts';
import { allEvents, appendEvents } from '../../src/stages/session/session-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { episodeOf } from '../../test/support/episodes.ts';
import { sessionRows } from '../../test/support/session-rows.ts';
import { writeTinyTask } from '../../test/support/tiny-task.ts';
import { type Aim, aimOf, type Row, residentMiB, round2 } from './measure.ts';

/** In one round; five rounds are the 100,000 that the aim is about. */
const TRAJECTORIES = 20_000;
const ROLLOUTS = 16;
const SESSIONS = 20;
const STEPS = 25;

/**
 * How fast a data set is written of made-up trajectories, with all that is done to real ones after they were read (chosen, compared, searched,
 * written in five formats), what memory it takes, how fast events are stored, and what a trajectory takes up hot and cold.
 */
export async function benchData(rounds: number): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const written = await withScratchFolder('bench-data', (folder) => benchExport(folder, rounds * TRAJECTORIES));
  const stored = await withScratchFolder('bench-data', (folder) => benchEvents(folder, rounds * SESSIONS));
  return {
    rows: [written.row, stored.row],
    aims: [
      aimOf(`export of ${rounds * TRAJECTORIES} trajectories`, { value: written.seconds, unit: 's' }, { most: 60 }),
      aimOf('resident memory at most', { value: written.residentMiB, unit: 'MiB' }, { most: 600 }),
      aimOf('written for each trajectory, all formats', { value: written.bytesEach, unit: 'bytes' }, { most: 1e6 }),
      aimOf('events stored per second, embedded database', { value: stored.perSecond, unit: '1/s' }, { least: 20_000 }),
      aimOf(`hot bytes of a session of ${STEPS} steps`, { value: stored.hotBytes, unit: 'bytes' }, { most: 1e6 }),
      aimOf(`cold bytes of a session of ${STEPS} steps`, { value: stored.coldBytes, unit: 'bytes' }, { most: 1e6 }),
    ],
  };
}

async function benchExport(folder: string, count: number) {
  const source = await openSynthetic(folder, count);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMiB(process.pid));
  }, 100);
  const [startedMs, startedCpuMs] = [performance.now(), ownCpuMs()];
  const recipe = parseRecipe('name: bench\nseed: 1\non_secret: fail');
  const out = join(folder, 'set');
  const { sheet } = await writeDataset(source, { recipe, out }, (phase, done) => {
    if (done % 10_000 === 0) process.stderr.write(`${phase} ${done}\n`);
  });
  clearInterval(watch);
  const wallMs = performance.now() - startedMs;
  const bytes = Object.values(sheet.files).reduce((sum, file) => sum + file.bytes, 0);
  process.stderr.write(`${sheet.episodes.taken} taken, ${JSON.stringify(sheet.left_out)}\n`);
  return {
    seconds: wallMs / 1000,
    residentMiB: Math.max(peak, residentMiB(process.pid)),
    bytesEach: bytes / Math.max(1, sheet.episodes.taken),
    row: rowOf('trajectories exported', { n: count, wallMs, cpuMs: ownCpuMs() - startedCpuMs }),
  };
}

/** CPU of this process: what else the machine does is not of it. */
function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function rowOf(name: string, { n, wallMs, cpuMs }: { n: number; wallMs: number; cpuMs: number }): Row {
  const each = round2(wallMs / n);
  const perSecond = round2((n / wallMs) * 1000);
  return {
    name,
    inFlight: 1,
    n,
    p50Ms: each,
    p95Ms: each,
    p99Ms: each,
    perSecond,
    cpuMs: round2(cpuMs / n),
    ratioToBare: null,
  };
}

/** Trajectories that are made anew whenever they are asked for, always the same. */
async function openSynthetic(folder: string, count: number): Promise<EpisodeSource> {
  const task = await loadTask(await writeTinyTask(join(folder, 'task')));
  const kept = new Map<string, Awaited<ReturnType<EpisodeSource['given']>>>();
  return {
    async *all() {
      for (let n = 0; n < count; n++) yield syntheticOf(n, false);
    },
    async *some(ids) {
      for (const id of ids) yield syntheticOf(Number(id.slice(5, 14)), true);
    },
    async given({ instance: { digest } }) {
      const known = kept.get(digest);
      if (known !== undefined) return known;
      if (kept.size > 256) kept.clear();
      const instance = makeInstance(task, { seed: digest });
      const given = { instruction: instance.instruction, guard: guardOf(task, instance) };
      kept.set(digest, given);
      return given;
    },
  };
}

/** Eight commands of some sixty characters with some four hundred of output each; one in three fails. */
function syntheticOf(n: number, hasTexts: boolean): Episode {
  const words = (salt: string) =>
    digestOf(`${n}/${salt}`)
      .slice(7)
      .match(/.{1,8}/g)
      ?.join(' ') ?? '';
  const commands = Array.from({ length: 8 }, (_, step) => `python3 -m ${words(`c${step}`).slice(0, 60)}`);
  const given = { n, task: `bench/${n % 50}`, prompt: `p${Math.floor(n / ROLLOUTS)}`, commands };
  const episode = episodeOf({ ...given, outcome: n % 3 === 0 ? 'failed' : 'passed' });
  if (!hasTexts) return episode;
  const steps = episode.steps.map((step, index) => ({
    ...step,
    observation: {
      ...step.observation,
      text: `${words(`o${index}`)}\nok, nothing to see in this line of output\n`.repeat(4),
    },
  }));
  return { ...episode, steps };
}

async function benchEvents(folder: string, sessions: number) {
  const database = await openDatabase({ folder: join(folder, 'database') });
  const blobs = await openFileBlobs(join(folder, 'blobs'));
  try {
    const ids = Array.from({ length: sessions }, (_, n) => `sess_${String(n).padStart(9, '0')}${'0'.repeat(20)}`);
    await sessionRows(database, ids);
    const events = eventsOfSession();
    const [startedMs, startedCpuMs] = [performance.now(), ownCpuMs()];
    for (const sessionId of ids) await appendEvents(database, { sessionId, end: EMPTY_LOG }, events);
    const wallMs = performance.now() - startedMs;
    const n = sessions * events.length;
    const row = rowOf('events stored, embedded database', { n, wallMs, cpuMs: ownCpuMs() - startedCpuMs });
    const [size] = await database.query("SELECT pg_total_relation_size('session_events') AS bytes");
    for (const id of ids) await archiveEvents(blobs, id, await allEvents(database, id));
    const coldBytes = (await bytesBeneath(join(folder, 'blobs'))) / sessions;
    return { row, perSecond: row.perSecond, hotBytes: Number(size?.bytes) / sessions, coldBytes };
  } finally {
    await database.close();
  }
}

/** What the recorder and the service tell of a session: for each step its beginning, its end, and eight events between them. */
function eventsOfSession(): readonly NewEvent[] {
  return Array.from({ length: STEPS }, (_, index) => index + 1).flatMap((step) => {
    const place = { step, messageId: `m${step}`, at: new Date(step * 1000), outcome: 'ok' };
    const command = `sed -n '${step},$p' src/part_${step}.py`;
    const began = { environment: 'shell', action: 'run', parameters: { command, timeout_sec: 120 } };
    const ended = { error: null, outputs: [{ name: 'stdout', bytes: 812, sha256: digestOf(command) }], wall_ms: 31 };
    return [
      { ...place, type: 'step.began', detail: began },
      ...Array.from({ length: 8 }, (_, n) => ({
        ...{ ...place, type: 'file.read', detail: { path: `/work/src/part_${step}_${n}.py`, pid: 17 + n } },
      })),
      { ...place, type: 'step.ended', detail: ended },
    ];
  });
}

async function bytesBeneath(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(join(folder, name))));
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}
