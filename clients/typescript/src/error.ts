/** What is known of a call that failed. */
interface Facts {
  readonly code: string;
  readonly message: string;
  readonly fault?: string;
  readonly mend?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | null;
  readonly status?: number | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/**
 * A call that failed. The service's own codes stand in docs/errors.md. The client adds four: `unreachable` (nothing was sent),
 * `no-answer` (it was sent, and what became of it is unknown), `bad-reply` (not an answer of Proctor), `no-reward` (nothing was
 * handed in, or its grade was not there in time).
 */
export class ProctorError extends Error {
  readonly code: string;
  readonly fault: string;
  readonly mend: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;
  readonly status: number | null;
  /** Seconds. */
  readonly retryAfter: number | null;

  constructor(facts: Facts) {
    super(facts.message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = 'ProctorError';
    this.code = facts.code;
    this.fault = facts.fault ?? 'platform';
    this.mend = facts.mend ?? '';
    this.details = facts.details ?? {};
    this.requestId = facts.requestId ?? null;
    this.status = facts.status ?? null;
    this.retryAfter = facts.retryAfter ?? null;
  }
}
