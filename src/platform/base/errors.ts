/** Whose fault an error is; decides what the pipeline, the API and the CLI do about it. */
export type ErrorFault = 'caller' | 'task' | 'platform' | 'evidence' | 'defect';

interface ErrorRow {
  readonly fault: ErrorFault;
  readonly httpStatus: number;
  /** `back-off`: the same call may succeed later, so the pipeline tries again; `never`: it cannot. */
  readonly retry: 'never' | 'back-off';
  /** What happens to the work that met this error. */
  readonly effect: string;
  /** What the person who reads it can do. */
  readonly mend: string;
}

/**
 * Every error that Proctor raises, in one table. The API, the pipeline, the CLI and `docs/errors.md` read it;
 * a test compares the page with the table.
 */
export const ERRORS = {
  'bad-request': row('caller', 400, 'never', 'nothing is stored', 'correct the fields that the message names'),
  unauthenticated: row(
    'caller',
    401,
    'never',
    'nothing is stored',
    'send `Authorization: Bearer KEY` with a valid key',
  ),
  forbidden: row('caller', 403, 'never', 'nothing is stored', 'use a key whose role may do this'),
  'not-found': row('caller', 404, 'never', 'nothing is stored', 'check the id or the path'),
  conflict: row('caller', 409, 'never', 'what was stored first stays', 'use a new id, or the one that exists'),
  'seed-retired': row(
    'caller',
    409,
    'never',
    'nothing is stored',
    'leave the seed out, or ask with `phase: "eval"`: it is known outside, and nobody should learn from it',
  ),
  'run-cancelled': row(
    'caller',
    409,
    'never',
    'nothing of the run is begun any more; what waits is answered unscored and masked',
    'send under another run_id: a cancelled run stays cancelled',
  ),
  'too-many-attempts': row(
    'caller',
    429,
    'never',
    'nothing is stored',
    'hand in for a new instance, or raise PROCTOR_MAX_ATTEMPTS',
  ),
  'too-many-calls': row(
    'caller',
    429,
    'back-off',
    'nothing is done; the answer says when to come again',
    'wait, send more items in one call, or raise PROCTOR_CALLS_PER_SECOND',
  ),
  'too-many-tries': row('caller', 429, 'never', 'nothing is looked at', 'wait as long as `Retry-After` says'),
  'would-leak': row(
    'caller',
    409,
    'never',
    'nothing is written',
    'look at the episode that the message names, or leave such episodes out with `on_secret: leave-out`',
  ),
  'too-large': row('caller', 413, 'never', 'nothing is stored', 'send less; the message names the limit'),
  'invalid-config': row(
    'caller',
    400,
    'never',
    'the program does not start',
    'correct the settings that the message lists',
  ),
  'task-invalid': row(
    'task',
    422,
    'never',
    'ungraded and masked',
    'run `proctor task check DIR` and mend what it lists',
  ),
  'oracle-failed': row('task', 422, 'never', 'ungraded and masked', "mend the task's tests/oracle.py"),
  'snapshot-missing': row('task', 422, 'never', 'ungraded and masked', 'run `proctor snapshot build NAME`'),
  'runner-missing': row(
    'task',
    422,
    'never',
    'ungraded and masked',
    'name a snapshot that has the test runner, or install it',
  ),
  'policy-invalid': row(
    'task',
    422,
    'never',
    'nothing is decided; rewards answer unscored until it is mended',
    'mend the policy file',
  ),
  'sandbox-failed': row('platform', 503, 'back-off', 'retried, then ungraded and masked', 'run `proctor doctor`'),
  'capability-missing': row(
    'platform',
    503,
    'never',
    'refused before start',
    'run `proctor doctor`; it lists what this machine lacks',
  ),
  'database-unavailable': row(
    'platform',
    503,
    'back-off',
    'retried; the work stays due',
    'check the database and its settings',
  ),
  'database-locked': row(
    'platform',
    503,
    'back-off',
    'the program does not start',
    'stop the other proctor process or choose another PROCTOR_DATA_DIR',
  ),
  'lease-lost': row(
    'platform',
    503,
    'never',
    'not stored: another worker has taken the work over',
    'nothing, unless it is frequent: then workers are starved of CPU or of their database',
  ),
  'queue-full': row(
    'platform',
    429,
    'back-off',
    'nothing is stored; the answer says when to come again',
    'wait and send it again, start more workers, or raise PROCTOR_MAX_OPEN_SUBMISSIONS',
  ),
  'queue-unavailable': row(
    'platform',
    503,
    'back-off',
    'stored and due; found by the next sweep',
    'check Redis and PROCTOR_REDIS_URL',
  ),
  'endpoint-failed': row(
    'platform',
    503,
    'back-off',
    'the work goes on without its answer',
    'check the address, the key and the health of the endpoint that the message names',
  ),
  'disk-full': row(
    'platform',
    503,
    'back-off',
    'nothing half-written stays; the work stays due',
    'free space below PROCTOR_DATA_DIR',
  ),
  'storage-failed': row(
    'platform',
    503,
    'back-off',
    'retried; the work stays due',
    'check permissions and health of PROCTOR_DATA_DIR',
  ),
  'no-result': row(
    'platform',
    503,
    'back-off',
    'the work goes on; nothing is paid, and nothing is a zero',
    'ask again: the work is joined. If it stays, see the log and `proctor doctor`',
  ),
  masked: row(
    'caller',
    422,
    'never',
    'the client drops the sample',
    'nothing: the sample is not for learning, and this client can leave it out only on an error',
  ),
  busy: row(
    'platform',
    504,
    'back-off',
    'nothing is run',
    'ask again, or raise PROCTOR_GRADE_CONCURRENCY where the machine has room',
  ),
  'digest-mismatch': row(
    'evidence',
    500,
    'never',
    'withheld: no reward rests on it',
    'restore the stored bytes from a backup; do not trust this record',
  ),
  defect: row('defect', 500, 'never', 'logged and recorded as a failed try', 'report it with the log lines around it'),
} as const satisfies Record<string, ErrorRow>;

/** A key of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS;

/** The only error class of the house: a code from {@link ERRORS}, a message for people, details for machines. */
export class ProctorError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    ...rest: [details?: Readonly<Record<string, unknown>>, options?: { cause?: unknown }]
  ) {
    super(message, rest[1]);
    this.name = 'ProctorError';
    this.code = code;
    this.details = rest[0] ?? {};
  }

  /** Whose fault this is. */
  get fault(): ErrorFault {
    return ERRORS[this.code].fault;
  }
}

/** Turns anything thrown into a {@link ProctorError}; what is not one already is a defect, except a full disk. */
export function asProctorError(thrown: unknown): ProctorError {
  if (thrown instanceof ProctorError) return thrown;
  const code = errnoOf(thrown);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ProctorError('disk-full', 'no space is left on the disk', { code }, { cause: thrown });
  }
  return new ProctorError('defect', messageOf(thrown), {}, { cause: thrown });
}

/** What anything thrown says of itself; never throws. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === 'string' ? thrown : 'something that is not an error was thrown';
}

/** The `code` of a Node system error (`ENOENT` …), or undefined. */
export function errnoOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

// biome-ignore lint/complexity/useMaxParams: a table row reads best as one line
function row(fault: ErrorFault, httpStatus: number, retry: ErrorRow['retry'], effect: string, mend: string): ErrorRow {
  return { fault, httpStatus, retry, effect, mend };
}
