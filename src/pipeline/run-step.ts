import { asProctorError, type ProctorError } from '../platform/base/errors.ts';
import type { Job } from '../platform/queue/queue.ts';
import { giveUpGrading } from './give-up.ts';
import type { JobParts } from './job-parts.ts';
import { loadSubmission } from './load-submission.ts';
import type { PipelineParts } from './pipeline-parts.ts';
import { afterFailure } from './retry.ts';
import { sessionOfArtifact } from './session-of-artifact.ts';
import type { StepName } from './step-name.ts';
import { STEPS } from './steps.ts';
import { saveAttempt } from './work-store.ts';
import type { Claim } from './worker-store.ts';

/** Steps whose giving up is told by what follows: a grade that says so, an integrity that is unknown, a profile or an opinion that is missing. */
const GO_ON = { screen: true, grade: true, profile: true, opinion: true } satisfies Partial<Record<StepName, true>>;

/** Retries of what failed together are spread over up to this much more of their delay. */
const JITTER = 0.5;

/**
 * Runs one job to its end: the step and all that follows it, so that a hand-in that was begun is finished before the next.
 * Never throws; what fails here the sweep finds again.
 */
export async function runStep(parts: PipelineParts, job: Job): Promise<void> {
  if (!(job.step in STEPS)) return parts.log.error({ job }, 'a job names no step of this pipeline');
  try {
    const claim = await parts.worker.claim(job.id);
    if (claim === null) return; // done, or in another worker's hands
    await runFrom(jobParts(parts, job.id, claim), job.step as StepName, job.id).finally(claim.release);
  } catch (thrown) {
    parts.log.warn({ job, err: thrown }, 'a job could not be claimed or given back; it stays due');
  }
}

async function runFrom(parts: JobParts, first: StepName, id: string): Promise<void> {
  const due: StepName[] = [first];
  for (let step = due.shift(); step !== undefined; step = due.shift()) {
    if (!(await runOne(parts, step, id))) return;
    due.push(...STEPS[step].next);
  }
}

/** A hand-in and its session are loaded when a step first needs them. */
function jobParts(parts: PipelineParts, id: string, claim: Claim): JobParts {
  return {
    ...parts,
    claim,
    made: {},
    session: once(() => sessionOfArtifact(parts.database, id)),
    submission: once(() => loadSubmission(parts, id)),
  };
}

/** Loads something when it is first asked for; what failed is tried again by the next who asks. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    const known = loading ?? load();
    loading = known;
    known.catch(() => {
      loading = null;
    });
    return known;
  };
}

/** Runs one step; gives whether what follows it may run. */
async function runOne(parts: JobParts, step: StepName, id: string): Promise<boolean> {
  const startedMs = performance.now();
  const tell = (moment: 'begin' | 'done' | 'failed' | 'gave-up') =>
    parts.observe?.({ step, id, moment, wallMs: performance.now() - startedMs });
  try {
    tell('begin');
    await STEPS[step].run(parts, id);
    tell('done');
    return true;
  } catch (thrown) {
    const error = asProctorError(thrown);
    parts.log.warn({ step, id, code: error.code, err: error }, 'a step failed');
    tell('failed');
    parts.doubt?.(error);
    const after = await handleFailure(parts, { step, id }, error).catch((second) => {
      parts.log.error({ step, id, err: second }, 'a failed step could not be recorded');
      return 'later' as const;
    });
    if (after !== 'later') tell('gave-up');
    return after === 'go-on';
  }
}

/** `go-on`: what follows may run all the same; `stuck`: nothing can follow until somebody mends it; `later`: tried again. */
async function handleFailure(
  parts: JobParts,
  due: { step: StepName; id: string },
  error: ProctorError,
): Promise<'go-on' | 'stuck' | 'later'> {
  if (error.code === 'lease-lost') return 'later'; // who has it now goes on with it
  // what a late worker meets is no try of whoever has it now
  const tries = await parts.claim.store((transaction) => saveAttempt(transaction, due, error));
  const after = afterFailure(error, tries);
  if (after.kind === 'retry') {
    const again = () => void parts.queue.enqueue(due).catch(() => undefined); // the sweep finds it
    setTimeout(again, after.delayMs * (1 + JITTER * Math.random())).unref();
    return 'later';
  }
  // a verdict must be reached even so; later steps have one already and are left to the sweep
  if (due.step === 'grade') await giveUpGrading(parts, due.id, error);
  return due.step in GO_ON ? 'go-on' : 'stuck';
}
