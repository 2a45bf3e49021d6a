import { z } from 'zod';
import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import {
  LINK_DESCRIPTORS,
  type Prepared,
  type RunningCommand,
  type SandboxLink,
} from '../../platform/sandbox/sandbox.ts';
import type { Task, TaskFile } from '../task/task.ts';
import { type FrameStream, openFrameStream, StreamLost } from './frame-stream.ts';
import { CASE_STATUSES } from './grade.ts';
import type { HiddenRun } from './hidden-run.ts';
import { PROGRAM_AHEAD } from './prepared.ts';
import type { RequiredTests } from './required-tests.ts';
import { testsVary } from './test-files.ts';

const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const BOUNDS = { maxBytes: MAX_FRAME_BYTES, maxDepth: 20, maxNodes: 1_000_000 };
/** One of the examiner's side for any suite. */
const ANY_SUITE: Prepared = { key: '', arguments: ['null'], files: [] };
/** Tests and fixtures of the suite's own may take this much longer than the candidate's part in them. */
const SLACK_MS = 10_000;
/** A process whose pipes are closed has this long to end by itself. */
const ENDING_MS = 200;

const wordsSchema = z.record(z.string(), z.int());
const messageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('collected'),
    ids: z.array(z.string()),
    problems: z.array(z.object({ id: z.string(), note: z.string() })),
  }),
  z.object({
    kind: z.literal('result'),
    id: z.string(),
    status: z.enum(CASE_STATUSES),
    note: z.string(),
    wallMs: z.number(),
    words: wordsSchema,
    uses: z.array(z.string()),
    results: wordsSchema,
  }),
  z.object({ kind: z.literal('lost'), why: z.string() }),
  z.object({ kind: z.literal('done'), exit: z.int(), asked: z.int() }),
]);

/** A frame of the examiner; see graders/pytest/run_suite.py. */
export type SuiteMessage = z.infer<typeof messageSchema>;

/** An examiner that runs a suite, linked to a process of the candidate's. */
export interface SuiteRun {
  /** The next message, or null when the grade's time is over. `sandbox-failed` when the examiner is lost. */
  next(): Promise<SuiteMessage | null>;
  /** Ends the candidate's process and all that it started, and links the examiner to a new one. */
  renew(): Promise<void>;
  /** Ends both. */
  close(): Promise<void>;
}

/** Starts the two processes, linked past this one, and names the suite to the examiner. */
export async function startSuite(
  run: HiddenRun,
  options: { files: readonly TaskFile[]; record: boolean; required: RequiredTests | null },
): Promise<SuiteRun> {
  const told = toldOf(run.task);
  const link = await run.driver.link();
  try {
    const starting = [startExaminerProcess(run, link, options.files), startHost(run, link, told.roots)] as const;
    await Promise.allSettled(starting); // both have the link's ends by now, or neither needs them
    const [examiner, candidate] = await Promise.all(starting);
    const suite = linked(run, { link, roots: told.roots, examiner, candidate });
    suite.frames.send({
      ...told,
      caseMs: run.task.definition.proctor.case_timeout_sec * 1000,
      record: options.record,
      known: options.required,
    });
    return suite;
  } catch (thrown) {
    link.close();
    throw thrown;
  }
}

/** What the examiner is told of the suite itself, which is the same for all that hand in for it. */
function toldOf({ definition }: Task) {
  const settings = definition.proctor.pytest;
  if (settings === undefined) throw new ProctorError('task-invalid', 'a pytest task needs [proctor.pytest]');
  const roots = settings.roots.map((root) => (root === '.' ? '/work' : `/work/${root}`));
  return { tests: '/work/tests', modules: settings.modules, roots, scratch: '/tmp' };
}

function startExaminerProcess(
  { task, instance, examinerBox }: HiddenRun,
  link: SandboxLink,
  files: readonly TaskFile[],
): Promise<RunningCommand> {
  const told = toldOf(task);
  const key = [task.digest, digestOfJson(told), testsVary(task) ? digestOfJson(instance.parameters) : ''].join(' ');
  return examinerBox.start({
    argv: ['/usr/bin/python3', '-I', '-B', '/proctor/pytest/run_suite.py', ...descriptors()],
    link: link.ends[0],
    prepared: { key, arguments: [JSON.stringify(told)], files, otherwise: ANY_SUITE },
  });
}

async function startHost({ candidate }: HiddenRun, link: SandboxLink, roots: readonly string[]) {
  const running = await candidate.start({
    argv: ['/usr/bin/python3', '-I', '-B', '/proctor/split/host.py', ...descriptors(), ...roots],
    link: link.ends[1],
    prepared: PROGRAM_AHEAD,
    env: { PYTHONPATH: roots.join(':') },
  });
  running.stdout.resume(); // it prints over the link; what goes past that is of no use
  return running;
}

function descriptors(): readonly string[] {
  return [String(LINK_DESCRIPTORS.read), String(LINK_DESCRIPTORS.write)];
}

interface Linked {
  readonly link: SandboxLink;
  readonly roots: readonly string[];
  readonly examiner: RunningCommand;
  readonly candidate: RunningCommand;
}

function linked(run: HiddenRun, { link, roots, examiner, candidate }: Linked): SuiteRun & { frames: FrameStream } {
  const { definition } = run.task;
  const frames = openFrameStream(examiner.stdout, examiner.stdin, MAX_FRAME_BYTES);
  const deadlineMs = performance.now() + definition.verifier.timeout_sec * 1000;
  let host = candidate;
  /** The pipes stay open for a successor, so the examiner is told when a process has ended. */
  const watch = (running: RunningCommand) => {
    const tell = () => running === host && frames.send({ gone: true });
    running.ended.then(tell, tell);
  };
  watch(host);
  const endHost = async () => {
    const ending = host;
    host = examiner; // from here on its end is no news
    ending.stop();
    run.keepStderr((await ending.ended).stderr);
  };
  return {
    frames,
    async next() {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return null;
      const silentMs = definition.proctor.case_timeout_sec * 1000 + SLACK_MS;
      try {
        const frame = await frames.next(Math.min(leftMs, silentMs));
        return messageSchema.parse(parseHostileJson(frame.toString('utf8'), BOUNDS));
      } catch (thrown) {
        if (!(thrown instanceof StreamLost)) throw thrown;
        if (thrown.why === 'late' && performance.now() >= deadlineMs) return null;
        throw await examinerLost(examiner, thrown);
      }
    },
    async renew() {
      await endHost();
      link.drain(link.ends[1]);
      host = await startHost(run, link, roots);
      watch(host);
      frames.send({ renewed: true });
    },
    async close() {
      await endHost().finally(() => link.close());
      examiner.stdin.end();
      const patience = setTimeout(() => examiner.stop(), ENDING_MS);
      await examiner.ended.finally(() => clearTimeout(patience));
    },
  };
}

/** The suite is trusted code: that it ends or hangs is its own doing or that of what it was sent; it is tried again. */
async function examinerLost(examiner: RunningCommand, lost: StreamLost): Promise<ProctorError> {
  examiner.stop();
  const { ending, stderr } = await examiner.ended;
  const said = stderr.toString('utf8').trim().slice(-1_000);
  return new ProctorError('sandbox-failed', `the examiner was lost (${lost.why}, ${ending.kind}): ${said}`);
}
