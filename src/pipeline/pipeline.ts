import { ProctorError } from '../platform/base/errors.ts';
import { createInProcessQueue } from '../platform/queue/in-process-queue.ts';
import type { Job } from '../platform/queue/queue.ts';
import type { RegradeReport } from '../stages/verdict/regrade-report.ts';
import { createNodeHealth } from './node-health.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { regrade } from './regrade.ts';
import { runStep } from './run-step.ts';
import { createSlots, type Slots } from './slots.ts';
import { FIRST_STEP } from './steps.ts';
import { sweep } from './sweep.ts';

const SWEEP_EVERY_MS = 2_000;
/** How often it is looked for what other processes of this machine left behind when they died. */
const REAP_EVERY_MS = 10_000;

/** The running pipeline of one process. */
export interface Pipeline {
  /** Begins the work on a hand-in whose row is stored; groups (runs, or tasks by digest) take turns. */
  begin(artifactId: string, group: string): Promise<void>;
  /** Grades a stored hand-in again and compares (see `regrade.ts`); counts as one of the grades in flight. */
  regrade(verdictId: string): Promise<RegradeReport>;
  /** Calls `tell` with the hand-in of every reward that this process stores. */
  onReward(tell: (artifactId: string) => void): void;
  /** Finishes running steps and takes no more. */
  stop(): Promise<void>;
}

/** How a process takes part: `grades` false hands work over and does none. */
export interface PipelineOptions {
  readonly concurrency: number;
  readonly grades: boolean;
  /** Makes, uses and removes a sandbox; rejects when this machine cannot. */
  readonly tryNode: () => Promise<void>;
}

/** Starts working: takes up what an earlier process left, then what is enqueued; sweeps from time to time. */
export async function startPipeline(parts: PipelineParts, options: PipelineOptions): Promise<Pipeline> {
  const slots = createSlots(options.concurrency);
  const told: ((artifactId: string) => void)[] = [];
  const observed: PipelineParts = {
    ...parts,
    observe(event) {
      parts.observe?.(event);
      if (event.step === 'reward' && event.moment === 'done') for (const tell of told) tell(event.id);
    },
  };
  const stopWorking = options.grades ? await startWorking(observed, slots, options) : async () => undefined;
  return {
    async begin(id, group) {
      if (!options.grades && !parts.queue.shared) return; // found by the workers' sweeps
      await parts.queue.enqueue({ step: FIRST_STEP, id, group }).catch((thrown) => {
        parts.log.warn({ id, err: thrown }, 'a hand-in could not be enqueued; it is due, and found by the next sweep');
      });
    },
    onReward: (tell) => void told.push(tell),
    async regrade(verdictId) {
      if (options.grades) return slots.run(() => regrade(parts, verdictId));
      throw new ProctorError('capability-missing', 'this process does not grade; regrade where a worker runs');
    },
    async stop() {
      await Promise.all([stopWorking(), parts.queue.close()]);
      await slots.idle();
    },
  };
}

/** Takes work until it is stopped. What the queue does not carry just now is done by who finds it. */
async function startWorking(
  parts: PipelineParts,
  slots: Slots,
  { concurrency, tryNode }: PipelineOptions,
): Promise<() => Promise<void>> {
  await parts.driver.reap();
  const spare = createInProcessQueue();
  const queues = [parts.queue, spare];
  const hold = (isWell: boolean) => {
    for (const queue of queues) queue.hold(!isWell);
  };
  const health = createNodeHealth({ tryNode, log: parts.log, tell: hold });
  const working: PipelineParts = { ...parts, doubt: health.doubt };
  const handle = (job: Job) =>
    slots.run(async () => {
      if (health.isWell()) await runStep(working, job); // what was taken just before stays due, and is another's
    });
  for (const queue of queues) queue.process(handle, { concurrency });
  const look = async () => {
    if (!health.isWell()) return;
    let carried = true; // until the queue fails: then the rest of this sweep does not wait for it
    await sweep(parts.database, async (job) => {
      if (carried) {
        carried = await parts.queue.enqueue(job).then(
          () => true,
          () => false,
        );
      }
      if (!carried) await spare.enqueue(job);
    });
  };
  await look();
  const every = (ms: number, what: string, work: () => Promise<unknown>) => {
    let running = false;
    const once = async () => {
      if (running) return;
      running = true;
      await work()
        .catch((err) => parts.log.warn({ err }, `${what} failed`))
        .finally(() => {
          running = false;
        });
    };
    return setInterval(() => void once(), ms).unref();
  };
  const timers = [
    every(SWEEP_EVERY_MS, 'the sweep', look),
    every(REAP_EVERY_MS, 'clearing away what dead processes left', () => parts.driver.reap()),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    health.stop();
    await spare.close();
  };
}
