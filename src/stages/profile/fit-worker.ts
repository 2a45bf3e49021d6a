// The thread of `fitInThread`: fits what it was given, says so, and is over.
import { parentPort, workerData } from 'node:worker_threads';
import { buildReference, type CohortWindow, type HonestRun } from './build-reference.ts';

const { runs, cohort } = workerData as { readonly runs: readonly HonestRun[]; readonly cohort: CohortWindow };
parentPort?.postMessage(buildReference(runs, cohort));
