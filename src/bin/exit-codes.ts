import { asProctorError, ERRORS, errnoOf, ProctorError } from '../platform/base/errors.ts';

/** Exit codes of every command; `proctor --help` explains them. */
export const EXIT = { ok: 0, differs: 1, caller: 2, platform: 3, defect: 70 } as const;

/** The exit code of an error, by whose fault it is. */
export function exitCodeOf(error: ProctorError): number {
  switch (error.fault) {
    case 'caller':
    case 'task':
      return EXIT.caller;
    case 'platform':
    case 'evidence':
      return EXIT.platform;
    case 'defect':
      return EXIT.defect;
  }
}

/** What the file system says of a path that the caller gave is the caller's mistake, not a defect. */
export function asCommandError(thrown: unknown): ProctorError {
  const error = asProctorError(thrown);
  const code = errnoOf(thrown) ?? errnoOf(error.cause) ?? '';
  const theirs = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EEXIST', 'ENAMETOOLONG', 'ELOOP'].includes(code);
  return error.code === 'defect' && theirs
    ? new ProctorError('not-found', error.message, {}, { cause: thrown })
    : error;
}

/** Tells an error on standard error (people) or standard output (`--json`), with what to do about it. */
export function printError(error: ProctorError, json: boolean): void {
  const { mend } = ERRORS[error.code];
  if (json) {
    const { code, message, details } = error;
    console.log(JSON.stringify({ error: { code, fault: error.fault, message, details, mend } }, null, 2));
    return;
  }
  console.error(`proctor: ${error.message}\n  ${error.code}: ${mend}`);
  if (error.code === 'defect') console.error(error.cause instanceof Error ? error.cause.stack : error.stack);
}
