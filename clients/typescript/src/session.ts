import type { Client } from './client.ts';
import { ProctorError } from './error.ts';
import type { End, Note, Observation, Reward, SessionEvent, SessionInfo, StreamItem } from './types.ts';

/** An open session: what `Client` does, without its id. */
export class Session {
  readonly id: string;
  /** Null when it was opened by somebody else. */
  readonly info: SessionInfo | null;
  readonly #client: Client;
  #end: End | null = null;

  constructor(client: Client, id: string, info: SessionInfo | null = null) {
    this.#client = client;
    this.id = id;
    this.info = info;
  }

  /** What the agent is asked to do; empty where it was told to somebody else. */
  get instruction(): string {
    return this.info?.instruction ?? '';
  }

  /** How it ended, once this object ended it. */
  get end(): End | null {
    return this.#end;
  }

  /** Makes one step. */
  act(environment: string, action: string, more: Note & { parameters?: Readonly<Record<string, unknown>> } = {}) {
    const { parameters = {}, ...note } = more;
    return this.#client.act(this.id, { environment, action, parameters }, note);
  }

  /** Runs a command in bash; folder, variables and background programs stay from one to the next. */
  shell(command: string, more: Note & { timeoutSec?: number; stdin?: string } = {}): Promise<Observation> {
    const { timeoutSec = 120, stdin, ...note } = more;
    const parameters = { command, timeout_sec: timeoutSec, ...(stdin === undefined ? {} : { stdin }) };
    return this.act('shell', 'run', { parameters, ...note });
  }

  /** Gives a file's content; beyond some kilobytes its beginning and its end (see `left_out`). */
  readFile(path: string, note: Note = {}): Promise<Observation> {
    return this.act('files', 'read', { parameters: { path }, ...note });
  }

  /** Makes a file, with the folders above it, or replaces it. */
  writeFile(path: string, content: string | Uint8Array, more: Note & { executable?: boolean } = {}) {
    const { executable = false, ...note } = more;
    return this.act('files', 'write', { parameters: { path, executable, ...contentOf(content) }, ...note });
  }

  /** Replaces a text that stands in a file exactly once. */
  patchFile(path: string, change: { replace: string; with: string }, note: Note = {}): Promise<Observation> {
    return this.act('files', 'patch', { parameters: { path, ...change }, ...note });
  }

  /** Removes a file or a link. */
  removeFile(path: string, note: Note = {}): Promise<Observation> {
    return this.act('files', 'remove', { parameters: { path }, ...note });
  }

  /** Lists a folder; `data.entries` has names, kinds and sizes. */
  listFiles(path = '/work', note: Note = {}): Promise<Observation> {
    return this.act('files', 'list', { parameters: { path }, ...note });
  }

  /** See `Client.observe`. */
  observe(options: { after?: number; follow?: boolean } = {}): AsyncGenerator<SessionEvent> {
    return this.#client.observe(this.id, options);
  }

  /** See `Client.stream`. */
  stream(options: { after?: number } = {}): AsyncGenerator<StreamItem> {
    return this.#client.stream(this.id, options);
  }

  /** Ends it and hands in what it left; asked again, it gives the same. */
  async finish(): Promise<End> {
    this.#end = await this.#client.finish(this.id);
    return this.#end;
  }

  /** Ends it without handing anything in. */
  async abandon(): Promise<End> {
    this.#end = await this.#client.abandon(this.id);
    return this.#end;
  }

  /** The reward of what it handed in. */
  async waitForReward(options: { timeoutMs?: number } = {}): Promise<Reward> {
    const end = this.#end;
    if (end === null) {
      throw new ProctorError({ code: 'no-reward', message: 'the session is not finished', fault: 'caller' });
    }
    if (end.submission_id !== null) return this.#client.waitForReward(end.submission_id, options);
    const message = `the session is ${end.outcome} and handed nothing in: ${end.reason ?? 'no reason was told'}`;
    throw new ProctorError({ code: 'no-reward', message, fault: end.fault });
  }
}

/** Content as the API takes it: text as it is, or any bytes in base64. */
export function contentOf(content: string | Uint8Array): Readonly<Record<string, string>> {
  if (typeof content === 'string') return { content };
  return { content_base64: Buffer.from(content).toString('base64') };
}
