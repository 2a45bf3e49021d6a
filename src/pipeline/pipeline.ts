import type { PipelineParts } from './pipeline-parts.ts';
import { runStep } from './run-step.ts';
import { FIRST_STEP } from './steps.ts';
import { sweep } from './sweep.ts';

const SWEEP_EVERY_MS = 5_000;

/** The running pipeline of one process. */
export interface Pipeline {
  /** Begins the work on a hand-in whose row is stored. */
  begin(artifactId: string): Promise<void>;
  /** Finishes running steps and takes no more. */
  stop(): Promise<void>;
}

/** Starts working: takes up what an earlier process left, then what is enqueued; sweeps from time to time. */
export async function startPipeline(parts: PipelineParts, options: { concurrency: number }): Promise<Pipeline> {
  await parts.driver.reap();
  parts.queue.process((job) => runStep(parts, job), options);
  await sweep(parts);
  const timer = setInterval(() => {
    sweep(parts).catch((thrown) => parts.log.warn({ err: thrown }, 'the sweep failed'));
  }, SWEEP_EVERY_MS);
  timer.unref();
  return {
    begin: (artifactId) => parts.queue.enqueue({ step: FIRST_STEP, id: artifactId }),
    async stop() {
      clearInterval(timer);
      await parts.queue.close();
    },
  };
}
