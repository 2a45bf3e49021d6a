import { UnfinishedCalls } from './join-unfinished.ts';
import { KeptEvents } from './kept-events.ts';
import { LOG_ENDS_WITHIN_LINE, logLines } from './log-lines.ts';
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
}

/**
 * Reads the log of {@link straceArguments} as a stream: memory is bounded by `maxEvents` and the number of living
 * processes. Never throws for what stands in the log; what cannot be read makes the record incomplete.
 */
export async function readStraceLog({ log, after, maxEvents, mayLive = false }: StraceLogOptions): Promise<StepRecord> {
  const problems = new Problems();
  const kept = new KeptEvents(maxEvents);
  const reader = new StepReader({ after, kept, problems, calls: new UnfinishedCalls(problems) });
  const onProblem = (text: string) => {
    if (!mayLive || text !== LOG_ENDS_WITHIN_LINE) problems.add(text);
  };
  for await (const lines of typeof log === 'string' ? logLines(log, onProblem) : oneByOne(log)) {
    for (const line of lines) reader.take(line);
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
