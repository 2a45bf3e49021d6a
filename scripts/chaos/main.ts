// npm run chaos [-- --submissions 2000 --workers 3 --rate 25 --seed 1]
// One API and some workers on PostgreSQL and Redis; all of them are killed, stopped and restarted at random while hand-ins come
// in. Prints one JSON object with what came of it and whether the aims hold; exit code 1 when they do not.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { type RandomStream, randomStream } from '../../src/stages/instance/random-stream.ts';
import { RIGHT, WRONG } from '../../test/support/tiny-task.ts';
import { aimOf, describeMachine } from '../bench/measure.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { FAKE_CLOCK, FAULTS } from './faults.ts';
import { heldNow, leftOver } from './leftovers.ts';

const FAULT_EVERY_MS = 2_500;
/** What is still open this long after the last hand-in is lost. */
const FINISH_MS = 120_000;
/** Workers clear away what dead ones left every ten seconds. */
const REAP_MS = 12_000;

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '3' },
    rate: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
  },
});
const plan = {
  submissions: Number(values.submissions),
  workers: Number(values.workers),
  rate: Number(values.rate),
  seed: values.seed,
};

/** The things in an order that the stream draws. */
function shuffled<T>(things: readonly T[], { below }: RandomStream): T[] {
  const left = [...things];
  return things.flatMap(() => left.splice(below(left.length), 1));
}

async function handInAll({ client }: Cluster): Promise<ReadonlyMap<string, boolean>> {
  const sent = new Map<string, boolean>();
  await Promise.all(
    Array.from({ length: plan.submissions }, async (_, index) => {
      await pause((index / plan.rate) * 1000);
      const right = index % 3 !== 0;
      // each its own bytes, so that each has to be stored
      sent.set(await client.handIn(`chaos-${index}`, `${right ? RIGHT : WRONG}# ${index}\n`), right);
      if (sent.size % 250 === 0) process.stderr.write(`${sent.size} of ${plan.submissions} handed in\n`);
    }),
  );
  return sent;
}

/** Does one thing after the other until told to stop, some of them side by side. */
async function disturb(cluster: Cluster, isOver: () => boolean) {
  const random = randomStream(plan.seed, 'chaos');
  const names = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
  const counts: Record<string, number> = {};
  const recoveries: number[] = [];
  const running: Promise<unknown>[] = [];
  let next: (keyof typeof FAULTS)[] = ['a worker is killed']; // first, so that also a short run has it
  while (!isOver()) {
    if (next.length === 0) next = shuffled(names, random); // every one of them in each round
    const name = next.pop() as keyof typeof FAULTS;
    counts[name] = (counts[name] ?? 0) + 1;
    process.stderr.write(`${name}\n`);
    const run = FAULTS[name](cluster, random).then((waitedMs) => waitedMs !== null && recoveries.push(waitedMs));
    running.push(run);
    // a server that is away must be back before the next thing is done to it
    await (name.startsWith('a worker') ? pause(FAULT_EVERY_MS) : run.then(() => pause(FAULT_EVERY_MS)));
  }
  await Promise.all(running);
  return { counts, recoveries };
}

async function waitUntilDone({ database }: Cluster): Promise<void> {
  const untilMs = performance.now() + FINISH_MS;
  while (performance.now() < untilMs) {
    const [row] = await database.query('SELECT count(*)::int AS open FROM work').catch(() => []);
    if (row?.open === 0) return;
    await pause(250);
  }
}

interface Outcome {
  readonly id: string;
  readonly verdicts: number;
  readonly rewards: number;
  readonly status: string | null;
  readonly reward: number | null;
}

async function outcomesOf({ database }: Cluster): Promise<readonly Outcome[]> {
  const rows = await database.query(
    `SELECT a.id, (SELECT count(*)::int FROM verdicts v WHERE v.artifact_id = a.id) AS verdicts,
            (SELECT count(*)::int FROM rewards r WHERE r.artifact_id = a.id) AS rewards,
            (SELECT r.body->>'status' FROM rewards r WHERE r.artifact_id = a.id LIMIT 1) AS status,
            (SELECT (r.body->>'reward')::float FROM rewards r WHERE r.artifact_id = a.id LIMIT 1) AS reward
     FROM artifacts a`,
  );
  return rows as unknown as readonly Outcome[];
}

function report(sent: ReadonlyMap<string, boolean>, outcomes: readonly Outcome[]) {
  const rewarded = new Set(outcomes.filter(({ rewards }) => rewards > 0).map(({ id }) => id));
  const count = (test: (one: Outcome) => boolean) => outcomes.filter(test).length;
  return {
    handedIn: sent.size,
    stored: outcomes.length,
    lost: [...sent.keys()].filter((id) => !rewarded.has(id)).length,
    doubled: count(({ verdicts, rewards }) => verdicts > 1 || rewards > 1) + outcomes.length - sent.size,
    falseZeros: count(({ id, status, reward }) => sent.get(id) === true && status === 'scored' && reward !== 1),
    falseOnes: count(({ id, reward }) => sent.get(id) === false && reward === 1),
    masked: count(({ status }) => status !== 'scored'),
    maskedShare: outcomes.length === 0 ? 0 : count(({ status }) => status !== 'scored') / outcomes.length,
  };
}

async function run() {
  execFileSync('bash', [fileURLToPath(new URL('../build.sh', import.meta.url))]);
  const machine = describeMachine();
  const before = heldNow();
  return withScratchFolder('chaos', async (scratch) => {
    const cluster = await openCluster(scratch, plan.workers);
    try {
      const startedMs = performance.now();
      let over = false;
      const disturbing = disturb(cluster, () => over);
      const sent = await handInAll(cluster).finally(() => {
        over = true;
      });
      const { counts, recoveries } = await disturbing;
      await waitUntilDone(cluster);
      const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
      const came = {
        ...report(sent, await outcomesOf(cluster)),
        unexpectedEnds: [cluster.api, cluster.reaper, ...cluster.workers].reduce(
          (sum, seat) => sum + seat.unexpected(),
          0,
        ),
      };
      await pause(REAP_MS);
      await cluster.close();
      const notTried = [
        ...(cluster.engine === null ? ['a container engine'] : []),
        ...(cluster.disk === null ? ['a full disk'] : []),
        ...(existsSync(FAKE_CLOCK) ? [] : ['a moved clock']),
      ];
      return { plan, machine, seconds, faults: counts, notTried, came, recoveries, left: leftOver(before, heldNow()) };
    } catch (thrown) {
      await cluster.close();
      throw thrown;
    }
  });
}

const { plan: planned, machine, seconds, faults, notTried, came, recoveries, left } = await run();
const aims = [
  aimOf('hand-ins lost', { value: came.lost, unit: '' }, { most: 0 }),
  aimOf('doubled verdicts or rewards', { value: came.doubled, unit: '' }, { most: 0 }),
  aimOf('false zeros', { value: came.falseZeros, unit: '' }, { most: 0 }),
  aimOf('false ones', { value: came.falseOnes, unit: '' }, { most: 0 }),
  aimOf('processes that ended by themselves', { value: came.unexpectedEnds, unit: '' }, { most: 0 }),
  aimOf('left over', { value: Object.values(left).reduce((sum, n) => sum + n, 0), unit: '' }, { most: 0 }),
  aimOf('dead workers whose work others took', { value: recoveries.length, unit: '' }, { least: 1 }),
  aimOf(
    'longest until others had a dead worker’s work',
    { value: Math.max(0, ...recoveries), unit: 'ms' },
    { most: 10_000 },
  ),
];
console.log(
  JSON.stringify(
    { chaos: planned, machine, seconds, faults, ...came, recoveriesMs: recoveries, left, notTried, aims },
    null,
    2,
  ),
);
process.exitCode = aims.every(({ holds }) => holds) ? 0 : 1;
