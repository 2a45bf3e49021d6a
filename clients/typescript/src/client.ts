import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ProctorError } from './error.ts';
import { type Caller, openCaller } from './http.ts';
import { contentOf, Session } from './session.ts';
import { socketItems } from './stream.ts';
import type {
  Action,
  DrawOptions,
  End,
  Environment,
  ImportRequest,
  Instance,
  Note,
  Observation,
  OpenRequest,
  Reward,
  SessionEvent,
  SessionInfo,
  StreamItem,
  Submission,
} from './types.ts';

export { ProctorError } from './error.ts';
export { Session } from './session.ts';
export * from './types.ts';

const PAGE = 500;
const LOOK_MS = 500;
/** What the service takes for a command when no time is given, and what an answer may take on top of one. */
const COMMAND_SEC = 120;
const ANSWER_MS = 30_000;
/** Of one answer to wait for a reward; shorter than what proxies usually cut off. */
const REWARD_SLICE_MS = 30_000;

interface ObservePage {
  readonly session: SessionInfo;
  readonly end: End | null;
  readonly events: readonly SessionEvent[];
}

/** Where the service is and what opens it. */
export interface ClientOptions {
  /** PROCTOR_URL otherwise. */
  readonly baseUrl?: string;
  /** PROCTOR_KEY otherwise. */
  readonly key?: string;
  readonly timeoutMs?: number;
  /** Instead of the global one, which waits for 300 seconds at most: bring another for longer commands. */
  readonly fetch?: typeof fetch;
}

/** Calls the sessions API. */
export class Client {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly #call: Caller;
  readonly #key: string;

  constructor({ baseUrl, key, timeoutMs = 120_000, fetch: by = fetch }: ClientOptions = {}) {
    this.baseUrl = checkedUrl(baseUrl ?? process.env.PROCTOR_URL ?? '');
    this.#key = checkedKey(key ?? process.env.PROCTOR_KEY ?? '');
    this.timeoutMs = timeoutMs;
    this.#call = openCaller({ baseUrl: this.baseUrl, key: this.#key, timeoutMs, fetch: by });
  }

  /** Opens a workspace on a new instance of a task, or on an instance that is there. One key opens one session. */
  async openSession({ idempotencyKey = randomUUID(), ...request }: OpenRequest): Promise<Session> {
    const { instanceId, ...drawn } = { instanceId: undefined, ...request };
    const body = { ...drawn, instance_id: instanceId, idempotency_key: idempotencyKey };
    const info = await this.#call<SessionInfo>({ method: 'POST', path: '/v1/sessions', body, safe: true });
    return new Session(this, info.session_id, info);
  }

  /** A session that was opened before, to go on with. */
  session(id: string): Session {
    return new Session(this, id);
  }

  /** Works in a new session: it is finished when `work` is done, and abandoned when that rejects. */
  async withSession<Made>(request: OpenRequest, work: (session: Session) => Promise<Made>) {
    const session = await this.openSession(request);
    try {
      const made = await work(session);
      return { made, session, end: session.end ?? (await session.finish()) };
    } catch (thrown) {
      // the first error is the one to tell; a session that cannot be abandoned now ends by its own time
      if (session.end === null) await session.abandon().catch(() => undefined);
      throw thrown;
    }
  }

  /** Makes one step, once: asked again after a lost answer, the service knows it by an id and gives the same. */
  act(sessionId: string, action: Action, { messageId, tokens = 0 }: Note = {}): Promise<Observation> {
    const told = action.parameters.timeout_sec;
    const waitMs = ANSWER_MS + 1000 * (typeof told === 'number' ? told : COMMAND_SEC);
    return this.#call({
      ...{ method: 'POST', path: pathOf(sessionId, '/act'), safe: 'when-lost' },
      body: { ...action, step_id: randomUUID(), message_id: messageId, tokens },
      timeoutMs: Math.max(this.timeoutMs, waitMs),
    });
  }

  /** All events of a session's log from a number on. With `follow` it waits for more, until the session has ended. */
  async *observe(sessionId: string, options: { after?: number; follow?: boolean } = {}): AsyncGenerator<SessionEvent> {
    let { after = 0 } = options;
    for (;;) {
      const { events, end } = await this.#page(sessionId, after);
      for (const event of events) {
        after = event.seq;
        yield event;
      }
      const isLast = options.follow === true ? end !== null && after >= end.events : events.length < PAGE;
      if (isLast) return;
      if (events.length === 0) await pause(LOOK_MS);
    }
  }

  /**
   * What happens in a session as it happens, until it has ended: events from a number on, what its programs write, and its end. It
   * uses `globalThis.WebSocket` where there is one; otherwise, and when that is cut off, it asks again and again: the same events
   * and the same end, without the output.
   */
  async *stream(sessionId: string, { after = 0 }: { after?: number } = {}): AsyncGenerator<StreamItem> {
    let seen = after;
    for await (const item of socketItems(`${this.baseUrl}${pathOf(sessionId, `/stream?after=${after}`)}`, this.#key)) {
      if (item.kind === 'event') seen = item.event.seq;
      yield item;
      if (item.kind === 'end') return;
    }
    for await (const event of this.observe(sessionId, { after: seen, follow: true })) yield { kind: 'event', event };
    const { end } = await this.#page(sessionId, seen);
    if (end !== null) yield { kind: 'end', end };
  }

  /** Ends a session and hands in what it left; asked again, it gives the same. */
  finish(sessionId: string): Promise<End> {
    return this.#call({ method: 'POST', path: pathOf(sessionId, '/finish'), body: {}, safe: true });
  }

  /** Ends a session without handing anything in. */
  abandon(sessionId: string): Promise<End> {
    return this.#call({ method: 'DELETE', path: pathOf(sessionId), safe: true });
  }

  /** Hands in a session that ran elsewhere; the same key hands in once. */
  importSession(request: ImportRequest): Promise<End> {
    const { instanceId, steps, executable = [], idempotencyKey = randomUUID() } = request;
    const files = Object.entries(request.files).map(([path, content]) => ({
      ...{ path, executable: executable.includes(path) },
      ...contentOf(content),
    }));
    const body = { instance_id: instanceId, idempotency_key: idempotencyKey, files, steps };
    return this.#call({ method: 'POST', path: '/v1/sessions/import', body, safe: true });
  }

  /** Draws an instance of a task. A repeated call would only leave one that nobody uses, so it is repeated. */
  newInstance(task: string, draw: DrawOptions = {}): Promise<Instance> {
    return this.#call({ method: 'POST', path: '/v1/instances', body: { task, ...draw }, safe: true });
  }

  /** The ways to act. */
  async environments(): Promise<readonly Environment[]> {
    const path = '/v1/environments';
    return (await this.#call<{ environments: readonly Environment[] }>({ method: 'GET', path, safe: true }))
      .environments;
  }

  /** What was handed in, and how far the work on it is. */
  submission(id: string): Promise<Submission> {
    return this.#call({ method: 'GET', path: `/v1/submissions/${encodeURIComponent(id)}`, safe: true });
  }

  /** Waits until something is graded. `no-reward` when the time is over: asking again goes on with the same grade. */
  async waitForReward(submissionId: string, { timeoutMs = 600_000 }: { timeoutMs?: number } = {}): Promise<Reward> {
    const untilMs = performance.now() + timeoutMs;
    for (;;) {
      const leftMs = Math.max(0, untilMs - performance.now());
      const deadlineMs = Math.min(leftMs, REWARD_SLICE_MS);
      const [reward] = await this.#rewards(submissionId, deadlineMs);
      if (reward !== undefined && reward.status !== 'pending') return reward;
      if (leftMs > REWARD_SLICE_MS) continue;
      const message = `${submissionId} was not graded in ${timeoutMs} ms`;
      throw new ProctorError({ code: 'no-reward', message, mend: 'ask again' });
    }
  }

  async #rewards(id: string, deadlineMs: number): Promise<readonly Reward[]> {
    const body = { items: [{ id, submission_id: id }], deadline_ms: Math.round(deadlineMs) };
    const timeoutMs = Math.max(this.timeoutMs, deadlineMs + ANSWER_MS);
    const call = { method: 'POST', path: '/v1/rewards', body, safe: true, timeoutMs } as const;
    return (await this.#call<{ items: readonly Reward[] }>(call)).items;
  }

  #page(sessionId: string, after: number): Promise<ObservePage> {
    return this.#call({ method: 'GET', path: pathOf(sessionId, `/observe?after=${after}&limit=${PAGE}`), safe: true });
  }
}

function pathOf(sessionId: string, rest = ''): string {
  return `/v1/sessions/${encodeURIComponent(sessionId)}${rest}`;
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('no address: give baseUrl, or set PROCTOR_URL, as http://HOST:PORT');
  }
  if (url.username + url.password !== '') {
    throw new TypeError('the address has a password in it: a key goes into key or PROCTOR_KEY');
  }
  return text.replace(/\/+$/, '');
}

/** Refused here, without its text: what fetch says of a bad header has the whole of it. */
function checkedKey(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text.trim())) return text.trim();
  throw new TypeError('no key that could be one: give key, or set PROCTOR_KEY');
}
