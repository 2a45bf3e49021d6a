import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { type Artifact, candidateOf, withDriver } from './bench-suite.ts';
import { type Aim, aimOf, type Row, residentMiB, round2 } from './measure.ts';

const GRADES = Number(process.env.BENCH_GRADES ?? 10_000);
const IN_FLIGHT = 4;
/** After so many everything is as warm as it gets. */
const WARM_UP = 500;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What this machine holds for the fork server just now. */
interface Held {
  readonly descriptors: number;
  readonly mounts: number;
  readonly cgroups: number;
  readonly processes: number;
  readonly residentMiB: number;
}

/** Many grades of right, wrong and broken artifacts in turn: none may come out wrong, and nothing may be left over. */
export function benchSoak(): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  return withScratchFolder('soak', (scratch) => withDriver(scratch, 'forkserver', (service) => soak(scratch, service)));
}

async function soak(scratch: string, service: Service): Promise<{ rows: readonly Row[]; aims: readonly Aim[] }> {
  const kinds: readonly Artifact[] = ['passing', 'failing', 'broken'];
  const candidates = await Promise.all(kinds.map((kind) => candidateOf(scratch, { service, kind })));
  let next = 0;
  let wrong = 0;
  const walls: number[] = [];
  const run = async (until: number): Promise<void> => {
    const work = async () => {
      while (next < until) {
        const startedMs = performance.now();
        const candidate = candidates[next++ % candidates.length];
        await candidate?.run().catch((thrown) => {
          wrong++;
          process.stderr.write(`${String(thrown)}\n`);
        });
        walls.push(performance.now() - startedMs);
        if (next % 500 === 0) process.stderr.write(`${next} of ${GRADES}, ${wrong} wrong\n`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  };
  await run(WARM_UP);
  const before = held();
  const startedMs = performance.now();
  await run(GRADES);
  const seconds = (performance.now() - startedMs) / 1000;
  const after = held();
  walls.sort((a, b) => a - b);
  const at = (share: number) => round2(walls[Math.floor((walls.length - 1) * share)] ?? 0);
  const row: Row = {
    ...{ name: 'grades of passing, failing and broken artifacts in turn', inFlight: IN_FLIGHT, n: GRADES },
    ...{ p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), perSecond: round2((GRADES - WARM_UP) / seconds) },
    ...{ cpuMs: Number.NaN, ratioToBare: null },
  };
  return { rows: [row], aims: aimsOf(wrong, before, after) };
}

function aimsOf(wrong: number, before: Held, after: Held): readonly Aim[] {
  const more = (name: keyof Held) => Math.max(0, after[name] - before[name]);
  const growth = (100 * more('residentMiB')) / before.residentMiB;
  return [
    aimOf(`wrong verdicts in ${GRADES}`, { value: wrong, unit: '' }, { most: 0 }),
    aimOf('descriptors left over', { value: more('descriptors'), unit: '' }, { most: 4 }),
    aimOf('mounts left over', { value: more('mounts'), unit: '' }, { most: 0 }),
    aimOf('cgroups left over', { value: more('cgroups'), unit: '' }, { most: 0 }),
    aimOf('processes left over', { value: more('processes'), unit: '' }, { most: 0 }),
    aimOf('memory growth, service and resident processes', { value: growth, unit: '%' }, { most: 5 }),
  ];
}

function held(): Held {
  collectGarbage();
  const pids = ownProcesses();
  const residents = [process.pid, ...pids].map(residentMiB);
  return {
    descriptors:
      readdirSync('/proc/self/fd').length + pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0),
    mounts: readFileSync('/proc/mounts', 'utf8').split('\n').length,
    cgroups: readdirSync('/sys/fs/cgroup/pids/proctor').length,
    processes: pids.length,
    residentMiB: residents.reduce((sum, mebibytes) => sum + mebibytes, 0),
  };
}

/** The launcher, the prepared processes and the host helper. */
function ownProcesses(): readonly number[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        return [{ pid: Number(pid), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
      } catch {
        return [];
      }
    });
  const children = (parent: number): readonly number[] =>
    stats.filter((each) => each.parent === parent).flatMap(({ pid }) => [pid, ...children(pid)]);
  return children(process.pid);
}
