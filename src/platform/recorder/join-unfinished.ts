import type { Problems } from './problems.ts';
import { splitArguments } from './split-arguments.ts';
import { readCallText, type StraceCall } from './strace-call.ts';
import type { StraceLine } from './strace-line.ts';

type CallLine = Extract<StraceLine, { kind: 'call' | 'resumed' }>;

type Superseded = Extract<StraceLine, { kind: 'superseded' }>;

/** A call whose end has not come yet. */
interface Pending {
  readonly atMs: number;
  readonly name: string;
  readonly text: string;
  /** It began before the step did. */
  readonly foreign: boolean;
  /** Its execution has replaced the whole process, so it has succeeded, whatever number strace shows. */
  readonly succeeded: boolean;
}

/** Joins the two halves of calls that other processes' lines have parted, per process. */
export class UnfinishedCalls {
  readonly #pending = new Map<number, Pending>();
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** The step begins here: calls that run already are the launcher's. */
  disown(): void {
    for (const [pid, call] of this.#pending) this.#pending.set(pid, { ...call, foreign: true });
  }

  /** The calls that this line finishes: none while one is still running. */
  take(line: CallLine): readonly StraceCall[] {
    return line.kind === 'call' ? this.#begin(line) : this.#resume(line);
  }

  /** Thread `by` has become process `pid` by its execution, which is still to be resumed. */
  supersede({ pid, by, atMs }: Superseded): readonly StraceCall[] {
    const left = this.flush(pid, atMs);
    const execution = this.#pending.get(by);
    if (execution === undefined) this.#problems.add('a process was replaced by a thread that executed nothing');
    else this.#pending.set(pid, { ...execution, succeeded: true });
    this.#pending.delete(by);
    return left;
  }

  /** What this process was doing when it ended, as an `unfinished` call. */
  flush(pid: number, endMs: number): readonly StraceCall[] {
    const call = this.#pending.get(pid);
    this.#pending.delete(pid);
    if (call === undefined || call.foreign) return [];
    const { items } = splitArguments(call.text);
    const outcome = call.succeeded ? 'ok' : 'unfinished';
    return [{ ...call, pid, endMs, args: items, outcome, returned: null, injected: false }];
  }

  /** What was still running when the log ended. */
  flushAll(): readonly StraceCall[] {
    return [...this.#pending.keys()].flatMap((pid) => this.flush(pid, Number.POSITIVE_INFINITY));
  }

  #begin(line: CallLine): readonly StraceCall[] {
    const left = this.#pending.has(line.pid) ? this.#lost(line) : [];
    const { atMs, name, text } = line;
    const call = { atMs, name, text, foreign: false, succeeded: false };
    if (!line.unfinished) return left.length === 0 ? this.#whole(line, call) : [...left, ...this.#whole(line, call)];
    this.#pending.set(line.pid, call);
    return left;
  }

  #resume(line: CallLine): readonly StraceCall[] {
    const start = this.#pending.get(line.pid);
    if (start === undefined || start.name !== line.name) {
      this.#problems.add(`a call of ${line.name} ends that never began`);
      return [];
    }
    const call = { ...start, text: start.text + line.text };
    if (line.unfinished) {
      this.#pending.set(line.pid, call);
      return [];
    }
    this.#pending.delete(line.pid);
    return call.foreign ? [] : this.#whole(line, call);
  }

  #lost({ pid, atMs }: CallLine): readonly StraceCall[] {
    this.#problems.add('a call never ended, though its process went on');
    return this.flush(pid, atMs);
  }

  #whole({ pid, atMs: endMs }: CallLine, { atMs, name, text, succeeded }: Pending): readonly StraceCall[] {
    const parts = readCallText(text);
    if (parts !== null) return [{ pid, atMs, endMs, name, ...parts, ...(succeeded ? { outcome: 'ok' } : {}) }];
    this.#problems.add(`a call of ${name} could not be read`);
    return [];
  }
}
