import { asProctorError, ProctorError } from '../../platform/base/errors.ts';

/** Runs what lets the candidate's code run, and says so in the error when it fails. */
export async function inCandidatePhase<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = asProctorError(thrown);
    throw new ProctorError(error.code, error.message, { ...error.details, phase: 'candidate' }, { cause: thrown });
  }
}
