import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Counters of one service, for `/metrics` (Prometheus text format). */
export interface Metrics {
  readonly registry: Registry;
  countStep(event: { step: string; moment: string; wallMs: number }): void;
  countRequest(request: { route: string; method: string; status: number; wallMs: number }): void;
  setQueue(depth: { waiting: number; running: number }): void;
}

const STEP_SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15, 60, 300];
const REQUEST_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

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
  };
}
