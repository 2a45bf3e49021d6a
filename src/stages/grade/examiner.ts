import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Parameters } from '../instance/instance.ts';
import type { Task } from '../task/task.ts';
import { openFrameStream, StreamLost } from './frame-stream.ts';
import { PROGRAM_AHEAD } from './prepared.ts';

/** Largest frame from the examiner: the requests of all cases together. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const DRAW_MS = 30_000;
const JUDGE_MS = 10_000;
const BOUNDS = { maxBytes: MAX_FRAME_BYTES, maxDepth: 200, maxNodes: 2_000_000 };

const drawnSchema = z.union([
  z.object({ cases: z.array(z.object({ id: z.string(), request: z.record(z.string(), z.unknown()) })) }),
  z.object({ failed: z.string() }),
]);
const judgedSchema = z.object({ id: z.string(), passed: z.boolean(), note: z.string() });

/** One hidden case: what may leave the examiner. */
export interface DrawnCase {
  readonly id: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** The process that holds the hidden tests and knows what is right. It never sees the candidate's code. */
export interface Examiner {
  readonly cases: readonly DrawnCase[];
  /** Draws the task's examples for some parameters; `oracle-failed` when it has none. */
  drawExamples(request: ExampleRequest): Promise<readonly DrawnCase[]>;
  /** Whether an answer is right: facts of ours and bytes of the candidate's. An examiner lost while judging is `sandbox-failed`: tried again, and charged by the control when it repeats. */
  judge(
    id: string,
    answer: Readonly<Record<string, unknown>>,
    body: Uint8Array,
  ): Promise<{ passed: boolean; note: string }>;
}

interface DrawRequest {
  readonly task: Task;
  readonly parameters: Parameters;
  /** Seed of the hidden draw. */
  readonly seed: string;
}

/** Examples of an instance like the one that was worked on. */
export interface ExampleRequest {
  readonly parameters: Parameters;
  /** What the ids of its cases begin with. */
  readonly prefix: string;
}

/** The examiner's process, with the task's tests before it. */
export interface ExaminerProcess {
  /** Rejects with `StreamLost` when no answer came. */
  ask(question: unknown, timeoutMs: number, body?: Uint8Array): Promise<unknown>;
  /** Turns a lost stream into the task's fault: its code hung, or ended the process. */
  explain(what: string): (thrown: unknown) => Promise<never>;
  stop(): void;
}

/** Starts the examiner in its own sandbox. */
export async function startExaminerProcess(sandbox: Sandbox, task: Task): Promise<ExaminerProcess> {
  for (const file of task.files.filter(({ path }) => path.startsWith('tests/'))) {
    await sandbox.writeFile(file.path, file.bytes, file.mode);
  }
  const running = await sandbox.start({
    argv: ['/usr/bin/python3', '-I', '-B', '/proctor/examiner/examine.py', '/work/tests'],
    prepared: PROGRAM_AHEAD,
  });
  const frames = openFrameStream(running.stdout, running.stdin, MAX_FRAME_BYTES);
  return {
    async ask(question, timeoutMs, body) {
      frames.send(question);
      if (body !== undefined) frames.sendBytes(body);
      return parseHostileJson((await frames.next(timeoutMs)).toString('utf8'), BOUNDS);
    },
    explain: (what) => async (thrown) => {
      if (!(thrown instanceof StreamLost)) throw thrown;
      running.stop();
      const { ending, stderr } = await running.ended;
      if (thrown.why === 'late') throw new ProctorError('oracle-failed', `${what} did not return in time`);
      const said = stderr.toString('utf8').slice(-1_000);
      throw new ProctorError('oracle-failed', `the examiner ended during ${what} (${ending.kind}): ${said}`);
    },
    stop: () => running.stop(),
  };
}

/** Starts the examiner in its own sandbox and draws the instance's cases. `oracle-failed` when the task cannot. */
export async function startExaminer(sandbox: Sandbox, request: DrawRequest): Promise<Examiner> {
  const { ask, explain, stop } = await startExaminerProcess(sandbox, request.task);
  const late = explain('tests/oracle.py: cases(), expected() and check()');
  const cases = await draw(ask, request.task, { ...request, what: 'cases', prefix: 'case' }).catch(late);
  return {
    cases,
    drawExamples: (wanted) => draw(ask, request.task, { ...wanted, what: 'examples', seed: '' }).catch(late),
    async judge(id, answer, body) {
      try {
        const judged = judgedSchema.parse(await ask({ op: 'judge', id, answer }, JUDGE_MS, body));
        return { passed: judged.passed && judged.id === id, note: judged.note };
      } catch (thrown) {
        if (!(thrown instanceof StreamLost)) throw thrown;
        stop();
        throw new ProctorError('sandbox-failed', `the examiner was lost (${thrown.why}) while judging ${id}`);
      }
    },
  };
}

async function draw(
  ask: ExaminerProcess['ask'],
  task: Task,
  wanted: ExampleRequest & { readonly what: 'cases' | 'examples'; readonly seed: string },
): Promise<readonly DrawnCase[]> {
  const { grader, max_cases: maxCases } = task.definition.proctor;
  const timeoutMs = Math.min(DRAW_MS, task.definition.verifier.timeout_sec * 1000);
  const { what, prefix, parameters, seed } = wanted;
  const question = { op: 'draw', grader, what, prefix, parameters, seed, maxCases };
  const answer = drawnSchema.parse(await ask(question, timeoutMs));
  if ('failed' in answer) throw new ProctorError('oracle-failed', answer.failed);
  const ids = new Set(answer.cases.map(({ id }) => id));
  if (ids.size === answer.cases.length) return answer.cases;
  throw new ProctorError('oracle-failed', 'the examiner drew two cases with the same id');
}
