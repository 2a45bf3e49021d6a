import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ProctorError } from '../../platform/base/errors.ts';
import type { CohortWindow, HonestRun } from './build-reference.ts';
import { type OpenReference, openReference, type Reference } from './reference.ts';

/** A fit of 20,000 sessions takes seconds; one that takes this long hangs. */
const MOST_MS = 120_000;
const MOST_HEAP_MIB = 2_048;

/** Whether this runs from source, or from what was compiled. */
const isSource = import.meta.url.endsWith('.ts');
const WORKER = new URL(isSource ? './fit-worker.ts' : './fit-worker.js', import.meta.url);
/** A thread of Node 20 does not take over how its parent reads TypeScript, so from source it is told first. */
const FROM_SOURCE = `const { workerData } = require('node:worker_threads');
import(workerData.tsx).then(({ register }) => { register(); return import(workerData.file); });`;

function startWorker(given: object): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: MOST_HEAP_MIB };
  if (!isSource) return new Worker(WORKER, { workerData: given, resourceLimits });
  // what `require` finds registers nothing in a thread; its twin for `import` stands beside it
  const found = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const tsx = pathToFileURL(found).href;
  return new Worker(FROM_SOURCE, {
    ...{ eval: true, execArgv: [], resourceLimits },
    workerData: { ...given, tsx, file: WORKER.href },
  });
}

/**
 * Makes the reference that `buildReference` makes, in a thread of its own: the caller goes on answering meanwhile. Its memory and time are bounded;
 * `defect` when it fails or exceeds them.
 */
export async function fitInThread(
  runs: readonly HonestRun[],
  cohort: CohortWindow,
  timeoutMs: number = MOST_MS,
): Promise<Reference> {
  const worker = startWorker({ runs, cohort });
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const [reference] = await Promise.race([once(worker, 'message', { signal }), silentEnd(worker, ended.signal)]);
    return reference as Reference;
  } catch (cause) {
    throw new ProctorError(
      'defect',
      'a reference could not be fitted in its thread',
      { cohort: cohort.cohort },
      { cause },
    );
  } finally {
    ended.abort();
    await worker.terminate();
  }
}

/** A thread that ends without a word must not be waited for. */
async function silentEnd(worker: Worker, signal: AbortSignal): Promise<never> {
  const [code] = await once(worker, 'exit', { signal });
  throw new Error(`the thread ended with ${code} and no answer`);
}

/** A reference that scores sessions while the next one is fitted. */
export class RefittedReference {
  #current: OpenReference | null = null;
  #started = 0;
  #shown = 0;

  /** What sessions are scored by; null before the first fit. It is never half of one and half of another. */
  get current(): OpenReference | null {
    return this.#current;
  }

  /** Fits and then swaps; a fit that was overtaken by a later one is given back but not shown. A failed one changes nothing. */
  async refit(runs: readonly HonestRun[], cohort: CohortWindow): Promise<Reference> {
    const turn = ++this.#started;
    const reference = await fitInThread(runs, cohort);
    if (turn > this.#shown) {
      this.#shown = turn;
      this.#current = openReference(reference);
    }
    return reference;
  }
}
