import { asProctorError, type ProctorError } from '../platform/base/errors.ts';
import type { Job } from '../platform/queue/queue.ts';
import { giveUpGrading } from './give-up.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { afterFailure } from './retry.ts';
import type { StepName } from './step-name.ts';
import { STEPS } from './steps.ts';
import { saveAttempt } from './work-store.ts';

/** Runs one job to its end: the step, then what follows it. Never throws; what fails here the sweep finds again. */
export async function runStep(parts: PipelineParts, job: Job): Promise<void> {
  if (!(job.step in STEPS)) return parts.log.error({ job }, 'a job names no step of this pipeline');
  const step = job.step as StepName;
  const startedMs = performance.now();
  const tell = (moment: 'begin' | 'done' | 'failed' | 'gave-up') =>
    parts.observe?.({ step, id: job.id, moment, wallMs: performance.now() - startedMs });
  try {
    tell('begin');
    await STEPS[step].run(parts, job.id);
    tell('done');
    await enqueueNext(parts, step, job.id);
  } catch (thrown) {
    const error = asProctorError(thrown);
    parts.log.warn({ step, id: job.id, code: error.code, err: error }, 'a step failed');
    tell('failed');
    await handleFailure(parts, { step, id: job.id }, error)
      .then((gaveUp) => gaveUp && tell('gave-up'))
      .catch((second) => parts.log.error({ step, id: job.id, err: second }, 'a failed step could not be recorded'));
  }
}

async function enqueueNext(parts: PipelineParts, step: StepName, id: string): Promise<void> {
  for (const next of STEPS[step].next) await parts.queue.enqueue({ step: next, id });
}

async function handleFailure(
  parts: PipelineParts,
  due: { step: StepName; id: string },
  error: ProctorError,
): Promise<boolean> {
  const tries = await saveAttempt(parts.database, due, error);
  const after = afterFailure(error, tries);
  if (after.kind === 'retry') {
    setTimeout(() => void parts.queue.enqueue(due), after.delayMs).unref();
    return false;
  }
  // a verdict must be reached even so; later steps have one already and are left to the sweep
  if (due.step !== 'grade' && due.step !== 'screen') return true;
  if (due.step === 'grade') await giveUpGrading(parts, due.id, error);
  await enqueueNext(parts, due.step, due.id);
  return true;
}
