import { askedByOpen } from './file-events.ts';
import type { UnfinishedCalls } from './join-unfinished.ts';
import type { KeptEvents } from './kept-events.ts';
import type { Problems } from './problems.ts';
import type { StepRecord } from './recorded-event.ts';
import { splitArguments } from './split-arguments.ts';
import type { StraceCall } from './strace-call.ts';
import { eventsOfCall, hasExecuted } from './strace-events.ts';
import { readStraceLine, type StraceLine, splitGlued } from './strace-line.ts';
import { WorkingFolders } from './working-folders.ts';

/** What a {@link StepReader} works with. */
interface StepReaderParts {
  /** The path whose opening begins the step; null: it begins with the log. */
  readonly after: string | null;
  /** Events of calls that ended at or before this moment are not told. */
  readonly sinceMs: number;
  readonly kept: KeptEvents;
  readonly problems: Problems;
  readonly calls: UnfinishedCalls;
}

/** Far more than the names of the traced calls. */
const MAX_NAMES = 200;

type Of<K extends StraceLine['kind']> = Extract<StraceLine, { kind: K }>;

/** Takes a log's lines one after the other and keeps the step's events. */
export class StepReader {
  readonly #parts: StepReaderParts;
  readonly #folders = new WorkingFolders();
  /** Processes without an end so far; true once the step has seen them. */
  readonly #living = new Map<number, boolean>();
  readonly #histogram = new Map<string, number>();
  #begun: boolean;
  #processes = 0;
  #executed = 0;

  constructor(parts: StepReaderParts) {
    this.#parts = parts;
    this.#begun = parts.after === null;
  }

  /** Takes one line without its line break. */
  take(text: string): void {
    for (const part of splitGlued(text) ?? [text]) this.#take(part);
  }

  #take(text: string): void {
    const line = readStraceLine(text);
    if (line === null) {
      this.#parts.problems.add('a line is none of strace');
      return;
    }
    this.#meet(line.pid);
    if (line.kind === 'call') this.#call(line);
    else if (line.kind === 'resumed') this.#tell(this.#parts.calls.take(line));
    else if (line.kind === 'ended') this.#ended(line);
    else if (line.kind === 'superseded') this.#superseded(line);
  }

  /** Looks at what is still open at the log's end, and gives the totals. */
  finish(mayLive: boolean): Pick<StepRecord, 'calls' | 'processes' | 'executed'> {
    const { problems, calls } = this.#parts;
    if (!this.#begun) problems.add('the mark of the step’s begin is not in the log');
    const living = this.#living.size;
    if (!mayLive && living > 0) problems.add(`the log ends before ${living} process(es) did`);
    if (!mayLive && this.#processes === 0) problems.add('the log tells of no process');
    this.#tell(calls.flushAll());
    return { calls: Object.fromEntries(this.#histogram), processes: this.#processes, executed: this.#executed };
  }

  #call(line: Of<'call'>): void {
    if (!this.#begun && this.#isMark(line)) {
      this.#begun = true;
      this.#folders.reset();
      for (const call of this.#parts.calls.take(line)) this.#folders.learn(call);
      this.#parts.calls.disown();
      this.#meet(line.pid);
      return;
    }
    if (this.#begun) this.#count(line.name);
    this.#tell(this.#parts.calls.take(line));
  }

  /** Bounded: a program can call every number there is, and each that strace does not know is a name. */
  #count(call: string): void {
    const name = this.#histogram.has(call) || this.#histogram.size < MAX_NAMES ? call : 'other';
    this.#histogram.set(name, (this.#histogram.get(name) ?? 0) + 1);
  }

  #isMark({ name, text }: Of<'call'>): boolean {
    return askedByOpen(name, splitArguments(text).items) === this.#parts.after;
  }

  #ended({ pid, atMs, code, signal }: Of<'ended'>): void {
    this.#tell(this.#parts.calls.flush(pid, atMs));
    this.#living.delete(pid);
    this.#folders.forget(pid);
    if (this.#begun && atMs > this.#parts.sinceMs)
      this.#parts.kept.add({ type: 'process.ended', atMs, pid, outcome: 'ok', code, signal });
  }

  #superseded(line: Of<'superseded'>): void {
    const { by } = line;
    this.#tell(this.#parts.calls.supersede(line));
    this.#living.delete(by);
    this.#folders.forget(by);
  }

  #meet(pid: number): void {
    if (this.#living.get(pid) === true) return;
    this.#living.set(pid, this.#begun);
    if (this.#begun) this.#processes += 1;
  }

  #tell(calls: readonly StraceCall[]): void {
    if (!this.#begun) return;
    for (const call of calls) {
      if (hasExecuted(call)) this.#executed += 1;
      // told by an earlier reading: all that is left to learn is where the process works
      if (call.endMs <= this.#parts.sinceMs) this.#folders.learn(call);
      else for (const event of eventsOfCall(call, this.#folders)) this.#parts.kept.add(event);
    }
  }
}
