import { CHEATS } from '../../../src/bin/simulator/cheats.ts';
import { type Random, randomOf } from '../../../src/bin/simulator/random.ts';
import { SIMULATED_FACTS, STYLES, type StyleName, simulateLog } from '../../../src/bin/simulator/simulate.ts';
import type { Behaviour } from '../../../src/stages/profile/behaviour.ts';
import { buildReference, type HonestRun } from '../../../src/stages/profile/build-reference.ts';
import { explainScore } from '../../../src/stages/profile/explain.ts';
import { extractFeatures } from '../../../src/stages/profile/extract-features.ts';
import { extractTrajectory } from '../../../src/stages/profile/extract-trajectory.ts';
import { openReference } from '../../../src/stages/profile/reference.ts';
import { scoreSession } from '../../../src/stages/profile/score.ts';
import type { Trajectory } from '../../../src/stages/profile/trajectory.ts';
import type { SessionEvent } from '../../../src/stages/session/event.ts';
import { type Aim, aimOf } from '../measure.ts';
import type { ProfileRow } from './profile-row.ts';

const FITTED_RUNS = 10_000;
const TIMED_RUNS = 3_000;
const TIMED_LOGS = 200;
const LOG_STEPS = 100;
/** Steps of a timed trajectory, about as many as the public runs have. */
const TRAJECTORY_STEPS = 25;
/** One trajectory in so many holds a hostile command of a megabyte. */
const HOSTILE_EVERY = 50;
const MEBIBYTE = 1024 ** 2;
const SEED = 31;
const PASSES = 3;
const PARTS = ['parse', 'features', 'score', 'explain', 'all'] as const;

/** What each part of a profile costs, on one thread, with one line of a megabyte in every fiftieth trajectory. */
export function benchTime(): { rows: readonly ProfileRow[]; aims: readonly Aim[] } {
  const random = randomOf(SEED);
  const texts = Array.from({ length: TIMED_RUNS }, (_, index) => textOf(random, index % HOSTILE_EVERY === 0));
  const runs = Array.from({ length: FITTED_RUNS }, (_, index): HonestRun => {
    const trajectory: Trajectory = JSON.parse(textOf(random, false));
    return {
      id: String(index),
      group: `prompt-${index >> 3}`,
      behaviour: extractTrajectory(trajectory, SIMULATED_FACTS),
    };
  });
  const fitting = timesOf(3, () => buildReference(runs, { cohort: 'timed', window: '1' }));
  const reference = openReference(buildReference(runs, { cohort: 'timed', window: '1' }));
  const { least, last } = timePasses(texts, (text, index) => profileOnce(text, reference, runs[index]?.behaviour));
  const all = least.map((spent) => spent[PARTS.length - 1] as number);
  const hostile = all.filter((_, index) => index % HOSTILE_EVERY === 0);
  const logs = Array.from({ length: 20 }, () => longLog(random));
  const logMs = timesOf(TIMED_LOGS, (index) => extractFeatures(logs[index % logs.length] ?? [], SIMULATED_FACTS)).slice(
    20,
  );
  const about = `a trajectory of ${TRAJECTORY_STEPS} steps, reference of 4,096`;
  const rows = [
    ...PARTS.map((name, part) =>
      timeRow(
        `${about}: ${name}`,
        least.map((spent) => spent[part] as number),
      ),
    ),
    timeRow('the same with a command of 1 MB: all', hostile),
    timeRow(`${about}: all, one pass, whatever else the machine did`, last),
    timeRow(`features of a recorder log of ${LOG_STEPS} steps (${logs[0]?.length} events)`, logMs),
    timeRow(`re-fit of a cohort of ${FITTED_RUNS} trajectories, from features`, fitting),
  ];
  return { rows, aims: aimsOf({ all, hostile, logMs, fitting }) };
}

/**
 * Times all texts in passes, after one that warms up: of each text the least of three passes by part, so that what other work on the
 * machine took is not counted (nor a collection of garbage that did not fall into all three), and the whole of the last pass as it was.
 */
function timePasses(texts: readonly string[], run: (text: string, index: number) => readonly number[]) {
  for (const [index, text] of texts.entries()) run(text, index);
  const least: number[][] = texts.map(() => PARTS.map(() => Number.POSITIVE_INFINITY));
  let last: readonly number[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    last = texts.map((text, index) => {
      const spent = run(text, index);
      least[index] = spent.map((ms, part) => Math.min(ms, least[index]?.[part] ?? ms));
      return spent[PARTS.length - 1] as number;
    });
  }
  return { least, last };
}

function profileOnce(
  text: string,
  reference: ReturnType<typeof openReference>,
  neighbour: Behaviour | undefined,
): readonly [number, number, number, number, number] {
  const startMs = performance.now();
  const trajectory: Trajectory = JSON.parse(text);
  const parsedMs = performance.now();
  const behaviour = extractTrajectory(trajectory, SIMULATED_FACTS);
  const extractedMs = performance.now();
  const group = neighbour === undefined ? [] : [neighbour, neighbour, neighbour];
  const score = scoreSession(reference, { behaviour, group });
  const scoredMs = performance.now();
  explainScore(reference, score);
  const endMs = performance.now();
  return [parsedMs - startMs, extractedMs - parsedMs, scoredMs - extractedMs, endMs - scoredMs, endMs - startMs];
}

/** A trajectory as JSON, its commands those of the simulator; a hostile one repeats quotes, signs and paths for a megabyte. */
function textOf(random: Random, isHostile: boolean): string {
  const commands: string[] = [];
  while (commands.length < TRAJECTORY_STEPS) {
    for (const { detail } of log(random)) {
      const parameters = detail.parameters as { command: string } | undefined;
      if (parameters !== undefined && commands.length < TRAJECTORY_STEPS) commands.push(parameters.command);
    }
  }
  if (isHostile) commands[3] = `cat ${`'a" /b/../c;>|&$(`.repeat(MEBIBYTE / 16)}`;
  const steps = commands.map((command) => ({
    command,
    exitCode: 0,
    outputBytes: random.below(5_000),
    thoughtChars: 300,
  }));
  return JSON.stringify({ steps, patchBytes: 900 + random.below(900) });
}

function log(random: Random): readonly SessionEvent[] {
  const names = Object.keys(STYLES) as StyleName[];
  const style = names[random.below(names.length)] as StyleName;
  return simulateLog(
    { style, cheat: random.below(20) === 0 ? (CHEATS[random.below(10)] ?? null) : null, drift: 1, difficulty: 1 },
    random,
  );
}

/** A log with 100 steps, and as many reads of library files as a started interpreter makes. */
function longLog(random: Random): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  let steps = 0;
  while (steps < LOG_STEPS) {
    for (const event of log(random)) {
      if (event.type === 'step.began') steps++;
      if (steps > LOG_STEPS) break;
      events.push({ ...event, seq: events.length + 1, step: steps });
      if (event.type !== 'process.executed') continue;
      for (let library = 0; library < 12; library++) {
        const detail = { path: `/usr/lib/python3/module_${library}.py`, pid: 1, count: 1 };
        events.push({ ...event, type: 'file.read', seq: events.length + 1, step: steps, detail });
      }
    }
  }
  return events;
}

function timesOf(times: number, work: (index: number) => unknown): number[] {
  return Array.from({ length: times }, (_, index) => {
    const startMs = performance.now();
    work(index);
    return performance.now() - startMs;
  });
}

function at(ms: readonly number[], share: number): number {
  const sorted = [...ms].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function timeRow(name: string, ms: readonly number[]): ProfileRow {
  const micro = (value: number) => Math.round(value * 10_000) / 10_000;
  return { name, value: null, n: ms.length, p50Ms: micro(at(ms, 0.5)), p99Ms: micro(at(ms, 0.99)) };
}

interface Times {
  readonly all: readonly number[];
  readonly hostile: readonly number[];
  readonly logMs: readonly number[];
  readonly fitting: readonly number[];
}

function aimsOf({ all, hostile, logMs, fitting }: Times): readonly Aim[] {
  return [
    aimOf(
      'a trajectory, parsed, extracted, scored, explained: p50',
      { value: at(all, 0.5) * 1_000, unit: 'µs' },
      { most: 200 },
    ),
    aimOf('the same: p99, a command of 1 MB in every fiftieth', { value: at(all, 0.99), unit: 'ms' }, { most: 2 }),
    aimOf('only those with the command of 1 MB: p99', { value: at(hostile, 0.99), unit: 'ms' }, { most: 2 }),
    aimOf(`features of a log of ${LOG_STEPS} steps: p50`, { value: at(logMs, 0.5), unit: 'ms' }, { most: 2 }),
    aimOf(
      `re-fit of ${FITTED_RUNS} trajectories, the least of three`,
      { value: at(fitting, 0), unit: 'ms' },
      { most: 3_000 },
    ),
  ];
}
