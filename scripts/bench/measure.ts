import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * One line of a bench. Times in milliseconds; `cpuMs` is the CPU of the whole machine per item, since resident processes and
 * servers work for this one too: run it on a machine that does nothing else.
 */
export interface Row {
  readonly name: string;
  readonly inFlight: number;
  readonly n: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms?: number;
  readonly perSecond: number;
  readonly cpuMs: number;
  /** p50 of this row over p50 of the bare row at the same number in flight; null for the bare row itself. */
  readonly ratioToBare: number | null;
}

/** Something to be timed: `run` does one item. */
export interface Candidate {
  readonly name: string;
  readonly bare: boolean;
  /** Rows of one kind of work; the ratio is to the bare row of the same kind. */
  readonly kind: string;
  /** Of rest before each item, which is not in its time: work comes with gaps, in which something may be made ready. */
  readonly restMs?: number;
  run(): Promise<void>;
}

/** Milliseconds of CPU in one clock tick of /proc (USER_HZ is 100 on every Linux that Node runs on). */
const TICK_MS = 10;

interface Sample {
  readonly wallsMs: number[];
  totalMs: number;
  cpuMs: number;
}

/**
 * Times candidates side by side: in each round every candidate runs at every number in flight, one after the other, so
 * that a noisy minute hits all of them. One unmeasured item of each goes first.
 */
export async function measure(
  candidates: readonly Candidate[],
  plan: { rounds: number; itemsPerRound: number; inFlight: readonly number[] },
): Promise<readonly Row[]> {
  const samples = new Map<string, Sample>();
  for (const candidate of candidates) await candidate.run();
  for (let round = 0; round < plan.rounds; round++) {
    for (const inFlight of plan.inFlight) {
      for (const candidate of candidates) {
        const key = `${candidate.name}/${inFlight}`;
        const sample = samples.get(key) ?? { wallsMs: [], totalMs: 0, cpuMs: 0 };
        samples.set(key, sample);
        await runRound(candidate, sample, { inFlight, items: plan.itemsPerRound });
      }
    }
    process.stderr.write(`round ${round + 1} of ${plan.rounds}\n`);
  }
  return plan.inFlight.flatMap((inFlight) => {
    const rows = candidates.map((candidate) =>
      rowOf(candidate, samples.get(`${candidate.name}/${inFlight}`) as Sample, inFlight),
    );
    return rows.map((row, index) => {
      const bare = rows.find(
        (_, other) => candidates[other]?.bare && candidates[other]?.kind === candidates[index]?.kind,
      );
      return { ...row, ratioToBare: bare === undefined || row === bare ? null : round2(row.p50Ms / bare.p50Ms) };
    });
  });
}

async function runRound(
  candidate: Candidate,
  sample: Sample,
  plan: { inFlight: number; items: number },
): Promise<void> {
  let left = plan.items;
  const cpuBefore = cpuMs();
  const startedMs = performance.now();
  const work = async () => {
    while (left-- > 0) {
      if (candidate.restMs !== undefined) await pause(candidate.restMs);
      const itemMs = performance.now();
      await candidate.run();
      sample.wallsMs.push(performance.now() - itemMs);
    }
  };
  await Promise.all(Array.from({ length: plan.inFlight }, work));
  const rested = Math.ceil(plan.items / plan.inFlight) * (candidate.restMs ?? 0);
  sample.totalMs += performance.now() - startedMs - rested;
  sample.cpuMs += cpuMs() - cpuBefore;
}

function rowOf({ name }: Candidate, sample: Sample, inFlight: number): Row {
  const sorted = sample.wallsMs.toSorted((a, b) => a - b);
  return {
    name,
    inFlight,
    n: sorted.length,
    ...percentiles(sorted),
    perSecond: round2((sorted.length / sample.totalMs) * 1000),
    cpuMs: round2(sample.cpuMs / sorted.length),
    ratioToBare: null,
  };
}

/** Of times in rising order. */
export function percentiles(sorted: readonly number[]): Required<Pick<Row, 'p50Ms' | 'p95Ms' | 'p99Ms'>> {
  const at = (share: number) => round2(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** CPU of the whole machine so far: user, nice, system, irq and softirq of proc_stat(5). */
export function cpuMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = readFileSync('/proc/stat', 'latin1')
    .split('\n', 1)
    .flatMap((line) => line.split(/\s+/).slice(1).map(Number));
  return (user + nice + system + irq + softirq) * TICK_MS;
}

/** What the figures were measured on. */
export function describeMachine(): Record<string, unknown> {
  const version = (file: string, args: string[]) => execFileSync(file, args).toString().trim().split('\n')[0];
  return {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    node: process.version,
    python: version('/usr/bin/python3', ['--version']),
    bubblewrap: version('bwrap', ['--version']),
    loadAverage: loadavg().map(round2),
    at: new Date().toISOString(),
  };
}

/** What is aimed at, and whether it holds. */
export interface Aim {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** As in `>= 35` or `<= 60`. */
  readonly aim: string;
  readonly holds: boolean;
}

/** An aim from what was measured. */
export function aimOf(
  name: string,
  measured: { value: number; unit: string },
  bound: { least: number } | { most: number },
): Aim {
  const value = round2(measured.value);
  return 'least' in bound
    ? { name, value, unit: measured.unit, aim: `>= ${bound.least}`, holds: value >= bound.least }
    : { name, value, unit: measured.unit, aim: `<= ${bound.most}`, holds: value <= bound.most };
}

/** Resident memory of a process; 0 when it is gone. */
export function residentMiB(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
