import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import type { RunningCommand } from '../../platform/sandbox/sandbox.ts';
import { describeEnding, type Grader, type GraderRun, statusOf } from './candidate.ts';
import type { DrawnCase } from './examiner.ts';
import { type FrameStream, openFrameStream, StreamLost } from './frame-stream.ts';
import type { CaseResult } from './grade.ts';
import { outOfTime } from './grade-stdio.ts';
import { PROGRAM_AHEAD } from './prepared.ts';

/** Importing the module may take this much longer than a case. */
const IMPORT_MS = 5_000;

/** A process whose input is closed has this long to end by itself. */
const ENDING_MS = 200;

/** Heads of answers are small; their bodies go to the examiner unread. */
const HEAD_BYTES = 16_384;
const BODY_BYTES = 4 * 1024 * 1024;

const raisedSchema = z.object({ classes: z.array(z.string().max(400)).max(30), message: z.string().max(4_000) });
const readySchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ ready: z.literal(false), raised: raisedSchema }),
]);
/** What the oracle may ask of a module; values stay tagged. */
export const functionRequestSchema = z.object({
  function: z.string().nullable(),
  args: z.array(z.unknown()),
  kwargs: z.array(z.unknown()),
});

const headSchema = z.strictObject({ id: z.string(), kind: z.enum(['value', 'raised']) });

/** A process that calls the candidate's functions; everything that it says is the candidate's word. */
interface Caller {
  readonly running: RunningCommand;
  readonly frames: FrameStream;
}

/**
 * Python functions: calls are sent one by one to a process in the candidate's sandbox, and only plain values come back.
 * A lost or late answer fails its case; the next case gets a new process.
 */
export const gradeFunction: Grader = async (run) => {
  const results: CaseResult[] = [];
  let caller: Caller | null = null;
  let unusable: string | null = null;
  for (const drawn of run.examiner.cases) {
    if (performance.now() > run.deadlineMs) {
      results.push(outOfTime(drawn.id));
      continue;
    }
    if (caller === null && unusable === null) {
      const started = await startCaller(run);
      if (typeof started === 'string') unusable = started;
      else caller = started;
    }
    if (caller === null) {
      results.push({ id: drawn.id, status: 'crashed', note: unusable ?? '', wallMs: 0 });
      continue;
    }
    const { result, alive } = await askCaller(run, caller, drawn);
    results.push(result);
    if (!alive) caller = null;
  }
  if (caller !== null) await endCaller(run, caller);
  return results;
};

/** Starts a caller; gives why the module cannot be used, in words, when it cannot. */
async function startCaller(run: GraderRun): Promise<Caller | string> {
  const settings = run.definition.proctor.function;
  if (settings === undefined) throw new ProctorError('task-invalid', 'a function task needs [proctor.function]');
  const running = await run.candidate.start({
    argv: ['/usr/bin/python3', '-I', '-B', '/proctor/function/call.py', settings.module, '/work'],
    prepared: PROGRAM_AHEAD,
  });
  const caller = { running, frames: openFrameStream(running.stdout, running.stdin, BODY_BYTES) };
  try {
    const ready = await hear(caller, readySchema, IMPORT_MS + caseMs(run));
    if (ready.ready) return caller;
    await endCaller(run, caller);
    return `importing ${settings.module} raised ${ready.raised.classes[0]}: ${ready.raised.message}`;
  } catch (thrown) {
    const ending = await lose(run, caller, thrown);
    return `importing ${settings.module}: the process ${describeEnding(ending)}`;
  }
}

async function askCaller(
  run: GraderRun,
  caller: Caller,
  drawn: DrawnCase,
): Promise<{ result: CaseResult; alive: boolean }> {
  const startedMs = performance.now();
  const { args, kwargs } = drawn.request;
  const name = drawn.request.function ?? run.definition.proctor.function?.function;
  // drawn for each call: it tells nothing of what is asked for what
  const call = randomBytes(6).toString('hex');
  caller.frames.send({ id: call, function: name, args, kwargs });
  try {
    const { id, kind } = await hear(caller, headSchema, caseMs(run));
    if (id !== call) throw new StreamLost('closed');
    const body = await caller.frames.next(caseMs(run) - (performance.now() - startedMs), BODY_BYTES);
    const wallMs = performance.now() - startedMs;
    const judged = await run.examiner.judge(drawn.id, { kind }, body);
    const status = judged.passed ? 'passed' : 'failed';
    return { result: { id: drawn.id, status, note: judged.note, wallMs }, alive: true };
  } catch (thrown) {
    const late = thrown instanceof StreamLost && thrown.why === 'late';
    const ending = await lose(run, caller, thrown);
    const wallMs = performance.now() - startedMs;
    const note = late ? 'no answer in time' : `no usable answer: the process ${describeEnding(ending)}`;
    return { result: { id: drawn.id, status: late ? 'timed-out' : statusOf(ending), note, wallMs }, alive: false };
  }
}

/** The candidate's next small frame in the expected shape; anything else loses the stream. */
async function hear<T>(caller: Caller, schema: z.ZodType<T>, timeoutMs: number): Promise<T> {
  const frame = await caller.frames.next(timeoutMs, HEAD_BYTES);
  return schema.parse(parseHostileJson(frame.toString('utf8'), { maxBytes: HEAD_BYTES, maxDepth: 8, maxNodes: 200 }));
}

/** Ends a caller whose stream is of no more use. What is not the candidate's doing is thrown on. */
async function lose(run: GraderRun, caller: Caller, thrown: unknown) {
  const theirs =
    thrown instanceof StreamLost ||
    thrown instanceof z.ZodError ||
    (thrown instanceof ProctorError && thrown.fault === 'caller');
  if (!theirs) throw thrown;
  return endCaller(run, caller);
}

/** Lets a process that is ending do so, that its own ending is told; then ends it. */
async function endCaller(run: GraderRun, caller: Caller) {
  caller.running.stdin.end();
  const patience = setTimeout(() => caller.running.stop(), ENDING_MS);
  await caller.running.ended.finally(() => clearTimeout(patience));
  const { ending, stderr } = await caller.running.ended;
  run.keepStderr(stderr);
  return ending;
}

function caseMs(run: GraderRun): number {
  return run.definition.proctor.case_timeout_sec * 1000;
}
