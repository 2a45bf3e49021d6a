import { ERRORS, type ProctorError } from '../platform/base/errors.ts';

/** Tries of one step before it is given up; the first counts. */
export const MAX_TRIES = 3;

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 60_000;

/** What to do after a step failed for the `tries`-th time. */
export type AfterFailure = { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'give-up' };

/**
 * Platform faults are tried again with growing delays; what cannot get better is given up at once. A defect of ours that
 * shows once the candidate's code runs is tried again too: what repeats may be the candidate's doing.
 */
export function afterFailure(error: ProctorError, tries: number): AfterFailure {
  const again =
    ERRORS[error.code].retry === 'back-off' || (error.code === 'defect' && error.details.phase === 'candidate');
  if (!again || tries >= MAX_TRIES) return { kind: 'give-up' };
  return { kind: 'retry', delayMs: Math.min(FIRST_DELAY_MS * 4 ** (tries - 1), LONGEST_DELAY_MS) };
}
