import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SandboxMeter } from '../platform/sandbox/metered-driver.ts';

/** Counters of one service, for `/metrics` (Prometheus text format). */
export interface Metrics {
  readonly registry: Registry;
  countStep(event: { step: string; moment: string; wallMs: number }): void;
  countRequest(request: { route: string; method: string; status: number; wallMs: number }): void;
  setQueue(depth: { waiting: number; running: number }): void;
  setWork(work: WorkFacts): void;
  /** A run passed a limit of its policy's guard. */
  countRunAlarm(alarm: { what: string; paused: boolean }): void;
  readonly sandboxes: SandboxMeter;
  setSessions(count: number): void;
}

const SANDBOX_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
const STEP_SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15, 60, 300];
const REQUEST_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** How much is open in a database, and how many work on it. */
export interface WorkFacts {
  readonly open: number;
  /** 0 when nothing is open. */
  readonly oldestSeconds: number;
  readonly workers: number;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const steps = new Counter({
    name: 'proctor_steps_total',
    help: 'Pipeline steps by what became of them',
    labelNames: ['step', 'moment'],
    registers,
  });
  const stepSeconds = new Histogram({
    name: 'proctor_step_seconds',
    help: 'Wall time of pipeline steps that ended',
    labelNames: ['step'],
    buckets: STEP_SECONDS,
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'proctor_http_request_seconds',
    help: 'Wall time of HTTP requests',
    labelNames: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const sessions = new Gauge({ name: 'proctor_sessions', help: 'Sessions that this process holds', registers });
  const queue = new Gauge({ name: 'proctor_queue_jobs', help: 'Jobs in the queue', labelNames: ['state'], registers });
  return {
    registry,
    countStep({ step, moment, wallMs }) {
      steps.inc({ step, moment });
      if (moment !== 'begin') stepSeconds.observe({ step }, wallMs / 1000);
    },
    countRequest({ route, method, status, wallMs }) {
      requestSeconds.observe({ route, method, status: String(status) }, wallMs / 1000);
    },
    setQueue({ waiting, running }) {
      queue.set({ state: 'waiting' }, waiting);
      queue.set({ state: 'running' }, running);
    },
    setWork: workGauges(registers),
    setSessions: (count) => sessions.set(count),
    countRunAlarm: runAlarms(registers),
    sandboxes: sandboxMeter(registers),
  };
}

function runAlarms(registers: Registry[]): Metrics['countRunAlarm'] {
  const alarms = new Counter({
    name: 'proctor_run_alarms_total',
    help: 'Decisions after which a run was past a limit of its policy, by what was limited',
    labelNames: ['what', 'paused'],
    registers,
  });
  return ({ what, paused }) => alarms.inc({ what, paused: String(paused) });
}

function sandboxMeter(registers: Registry[]): SandboxMeter {
  const seconds = new Histogram({
    name: 'proctor_sandbox_create_seconds',
    help: 'Wall time of making a sandbox',
    labelNames: ['ok'],
    buckets: SANDBOX_SECONDS,
    registers,
  });
  const living = new Gauge({ name: 'proctor_sandboxes', help: 'Sandboxes of this process in use', registers });
  const reaped = new Counter({
    name: 'proctor_reaped_total',
    help: 'Sandboxes cleared away: removed after a dead process, ended past their deadline, or failed to be',
    labelNames: ['what'],
    registers,
  });
  return {
    made: ({ ok, wallMs }) => seconds.observe({ ok: String(ok) }, wallMs / 1000),
    living: (count) => living.set(count),
    reaped(counts) {
      for (const [what, count] of Object.entries(counts)) reaped.inc({ what }, count);
    },
  };
}

function workGauges(registers: Registry[]): Metrics['setWork'] {
  const work = new Gauge({
    name: 'proctor_open_submissions',
    help: 'Hand-ins of all processes of this database that have no reward yet',
    registers,
  });
  const oldest = new Gauge({
    name: 'proctor_oldest_open_seconds',
    help: 'Age of the oldest of them',
    registers,
  });
  const workers = new Gauge({
    name: 'proctor_workers',
    help: 'Processes that grade and have given a sign of life',
    registers,
  });
  return ({ open, oldestSeconds, workers: alive }) => {
    work.set(open);
    oldest.set(oldestSeconds);
    workers.set(alive);
  };
}
