import type { RegradeReport } from '../stages/verdict/regrade-report.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { regrade } from './regrade.ts';
import { runStep } from './run-step.ts';
import { createSlots } from './slots.ts';
import { FIRST_STEP } from './steps.ts';
import { sweep } from './sweep.ts';

const SWEEP_EVERY_MS = 5_000;

/** The running pipeline of one process. */
export interface Pipeline {
  /** Begins the work on a hand-in whose row is stored. */
  begin(artifactId: string): Promise<void>;
  /** Grades a stored hand-in again and compares (see `regrade.ts`); counts as one of the grades in flight. */
  regrade(verdictId: string): Promise<RegradeReport>;
  /** Calls `tell` with the hand-in of every reward that this process stores. */
  onReward(tell: (artifactId: string) => void): void;
  /** Finishes running steps and takes no more. */
  stop(): Promise<void>;
}

/** Starts working: takes up what an earlier process left, then what is enqueued; sweeps from time to time. */
export async function startPipeline(parts: PipelineParts, options: { concurrency: number }): Promise<Pipeline> {
  await parts.driver.reap();
  const slots = createSlots(options.concurrency);
  const told: ((artifactId: string) => void)[] = [];
  const observed: PipelineParts = {
    ...parts,
    observe(event) {
      parts.observe?.(event);
      if (event.step === 'reward' && event.moment === 'done') for (const tell of told) tell(event.id);
    },
  };
  parts.queue.process((job) => slots.run(() => runStep(observed, job)), options);
  await sweep(parts);
  const timer = setInterval(() => {
    sweep(parts).catch((thrown) => parts.log.warn({ err: thrown }, 'the sweep failed'));
  }, SWEEP_EVERY_MS);
  timer.unref();
  return {
    begin: (artifactId) => parts.queue.enqueue({ step: FIRST_STEP, id: artifactId }),
    onReward: (tell) => void told.push(tell),
    regrade: (verdictId) => slots.run(() => regrade(parts, verdictId)),
    async stop() {
      clearInterval(timer);
      await parts.queue.close();
      await slots.idle();
    },
  };
}
