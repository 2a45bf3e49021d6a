import { errnoOf, messageOf, ProctorError } from '../base/errors.ts';

/** SQLSTATE classes after which the same statement may succeed later: connection, resources, shutdown, contention. */
const TRANSIENT = /^(08|53|57|58|40|55)/;

/** A vendor's error as ours, with its SQLSTATE. */
export function databaseError(thrown: unknown): ProctorError {
  if (thrown instanceof ProctorError) return thrown;
  const code = errnoOf(thrown) ?? '';
  const message = messageOf(thrown);
  if (code === '53100' || code === 'ENOSPC' || /No space left|disk full/i.test(message)) {
    return new ProctorError('disk-full', 'the database has no disk space left', { code }, { cause: thrown });
  }
  if (/^(3D000|28)/.test(code)) {
    return new ProctorError('invalid-config', `PROCTOR_DATABASE_URL: ${message}`, { code }, { cause: thrown });
  }
  if (TRANSIENT.test(code) || code.startsWith('E') || /terminat|closed|timeout/i.test(message)) {
    return new ProctorError(
      'database-unavailable',
      `the database does not answer: ${message}`,
      { code },
      { cause: thrown },
    );
  }
  return new ProctorError('defect', `the database refused a statement: ${message}`, { code }, { cause: thrown });
}

/** Runs a vendor's call with its errors turned into ours. */
export async function guarded<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw databaseError(thrown);
  }
}
