import { UnfinishedCalls } from './join-unfinished.ts';
import { KeptEvents } from './kept-events.ts';
import { LOG_ENDS_WITHIN_LINE, logLines } from './log-lines.ts';
import { Pace } from './pace.ts';
import { Problems } from './problems.ts';
import type { StepRecord } from './recorded-event.ts';
import { StepReader } from './step-reader.ts';

/** What to read and how much of it to keep. */
export interface StraceLogOptions {
  /** The log file's path, or its lines without line breaks. */
  readonly log: string | AsyncIterable<string>;
  /** The secret path whose opening marks the begin of the step; null takes the whole log. */
  readonly after: string | null;
  /** How many events are kept at most, failed look-ups (200) aside. */
  readonly maxEvents: number;
  /** Some processes still run: no end of each is demanded, and the log may end within a line. Default false. */
  readonly mayLive?: boolean;
  /**
   * Only events after this moment (epoch milliseconds, as in the log): what was told by an earlier reading takes no place
   * and is merged with nothing. A call that was still running then counts as after it, with the `atMs` of its begin.
   * `calls`, `processes` and `executed` are always of the whole log.
   */
  readonly sinceMs?: number;
}

/**
 * Reads the log of {@link straceArguments} as a stream: memory is bounded by `maxEvents` and the number of living
 * processes. A file is read to the size that it has when reading begins, and other work is let in between.
 * Never throws for what stands in the log; what cannot be read makes the record incomplete.
 *
 * `complete` is judged by the log alone. One that was cut just behind a line, with every process that it names ended, looks
 * whole: a program that lives on and has made no traced call yet is in no line. So the caller must watch that strace itself
 * ended by itself and with the exit code of the step (not killed, and its disk not full), and read with `mayLive: false` only then.
 */
export async function readStraceLog(options: StraceLogOptions): Promise<StepRecord> {
  const { log, after, maxEvents, mayLive = false, sinceMs = Number.NEGATIVE_INFINITY } = options;
  const problems = new Problems();
  const kept = new KeptEvents(maxEvents);
  const reader = new StepReader({ after, sinceMs, kept, problems, calls: new UnfinishedCalls(problems) });
  const onProblem = (text: string) => {
    if (!mayLive || text !== LOG_ENDS_WITHIN_LINE) problems.add(text);
  };
  const pace = new Pace();
  for await (const lines of typeof log === 'string' ? logLines(log, onProblem) : oneByOne(log)) {
    for (const line of lines) {
      reader.take(line);
      if (pace.isOver(line.length)) await pace.rest();
    }
  }
  const totals = reader.finish(mayLive);
  const found = problems.list();
  return {
    backend: 'strace',
    complete: found.length === 0,
    problems: found,
    events: kept.list(),
    cut: kept.cut,
    misses: kept.misses,
    ...totals,
  };
}

async function* oneByOne(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  for await (const line of lines) yield [line];
}
