import { setTimeout as pause } from 'node:timers/promises';
import { ProctorError } from './error.ts';

const MOST_TRIES = 5;
const FIRST_PAUSE_SEC = 0.5;
const LONGEST_PAUSE_SEC = 60;
/** Told with 503 too, and no later try of the same call mends them. */
const LASTING = ['capability-missing', 'lease-lost'];
const PASSING_STATUSES = [429, 502, 503, 504];
/** Known from before anything was sent. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** One call of the API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Whether it may be made again: also after a passing fault, or only when its answer was lost. */
  readonly safe: boolean | 'when-lost';
  readonly timeoutMs?: number;
}

/** Makes calls of the API. */
export type Caller = <Reply>(call: Call) => Promise<Reply>;

/** Calls with a key, which stands in nothing but these functions: printing a client does not show it. */
export function openCaller(given: {
  readonly baseUrl: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
}): Caller {
  const once = async (call: Call): Promise<unknown> => {
    const { method, path, body, timeoutMs = given.timeoutMs } = call;
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const reply = await given.fetch(given.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${given.key}`, ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual', // a redirect would carry the call to a place that nobody named
      signal: AbortSignal.timeout(timeoutMs),
    });
    return read(reply, await reply.text());
  };
  return async <Reply>(call: Call): Promise<Reply> => {
    for (let tried = 1; ; tried++) {
      try {
        return (await once(call)) as Reply;
      } catch (thrown) {
        const error = thrown instanceof ProctorError ? thrown : unanswered(given.baseUrl, thrown);
        const seconds = pauseSec(error, tried, call.safe);
        if (seconds === null) throw error;
        await pause(seconds * 1000);
      }
    }
  };
}

/** How long to wait before the next try; null: there is none. */
function pauseSec(error: ProctorError, tried: number, safe: Call['safe']): number | null {
  const isPassing = PASSING_STATUSES.includes(error.status ?? 0) && !LASTING.includes(error.code);
  const isLost = error.code === 'no-answer';
  // a step that the service calls void may have done something: whether to make it again is the harness's to say
  const mayRepeat = error.code === 'unreachable' || (safe !== false && isLost) || (safe === true && isPassing);
  if (!mayRepeat || tried >= MOST_TRIES) return null;
  if (error.retryAfter !== null) return error.retryAfter <= LONGEST_PAUSE_SEC ? error.retryAfter : null;
  // spread, so that harnesses that were cut off together do not come back together
  return FIRST_PAUSE_SEC * 2 ** (tried - 1) * (0.75 + Math.random() / 2);
}

function read({ ok, status, headers }: Response, text: string): unknown {
  const parsed = parse(text);
  if (ok && parsed !== null) return parsed;
  const after = headers.get('retry-after') ?? '';
  const retryAfter = /^\d+$/.test(after) ? Number(after) : null;
  const told = parsed?.error as Readonly<Record<string, unknown>> | undefined;
  if (ok || typeof told?.code !== 'string') {
    const message = `status ${status} without an answer of Proctor's form`;
    throw new ProctorError({ code: 'bad-reply', message, mend: 'check the address', status, retryAfter });
  }
  throw new ProctorError({
    ...{ code: told.code, message: String(told.message), fault: String(told.fault), mend: String(told.mend) },
    ...{ requestId: String(told.request_id), status, retryAfter },
    details: (told.details ?? {}) as Readonly<Record<string, unknown>>,
  });
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && !Array.isArray(parsed)
      ? (parsed as Readonly<Record<string, unknown>> | null)
      : null;
  } catch {
    return null;
  }
}

/** The error of a call without an answer. */
function unanswered(baseUrl: string, thrown: unknown): ProctorError {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  if (UNSENT.includes(code)) {
    const message = `nothing listens at ${baseUrl}: ${code}`;
    return new ProctorError({ code: 'unreachable', message, mend: 'check the address', cause: thrown });
  }
  const message = `${baseUrl} gave no answer: ${code || (thrown instanceof Error ? thrown.message : 'unknown')}`;
  const mend = 'look with observe what became of it before you do it again';
  return new ProctorError({ code: 'no-answer', message, mend, cause: thrown });
}
