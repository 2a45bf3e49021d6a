import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ProctorError } from '../../../platform/base/errors.ts';
import { parseHostileJson } from '../../../platform/base/safe-json.ts';
import type { Ending } from '../../../platform/sandbox/sandbox.ts';
import { describeEnding } from '../candidate.ts';
import { type FrameStream, openFrameStream, StreamLost } from '../frame-stream.ts';
import { CASE_STATUSES } from '../grade.ts';
import type { NativeReport, Observed } from './native-report.ts';
import type { NativeRun } from './native-runner.ts';

const MAX_FRAME_BYTES = 64 * 1024;
const MAX_RESULTS = 20_000;
const BOUNDS = { maxBytes: MAX_FRAME_BYTES, maxDepth: 5, maxNodes: 1_000 };
/** Between the last frame and the end of the process. */
const ENDING_MS = 2_000;

const messageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('result'),
    id: z.string().max(4_000),
    status: z.enum(CASE_STATUSES),
    note: z.string(),
    wallMs: z.number(),
  }),
  z.object({ kind: z.literal('done'), exit: z.int(), nonce: z.string() }),
]);

/** A runner of ours in the candidate's sandbox: settings go in on standard input, frames come out on what was standard output. */
export interface FramedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
}

interface Heard {
  readonly observed: readonly Observed[];
  /** Null unless the run ended with the completion witness. */
  readonly exit: number | null;
  readonly broken: boolean;
  readonly late: boolean;
}

/** Runs it and hears it out. The nonce is known to this process and, from its start on, to the runner's. */
export async function runFramed({ run, deadlineMs }: NativeRun, command: FramedCommand): Promise<NativeReport> {
  const nonce = randomBytes(18).toString('base64url');
  const running = await run.candidate.start({
    argv: command.argv,
    ...(command.env === undefined ? {} : { env: command.env }),
    wallMs: Math.max(1, deadlineMs - performance.now()),
  });
  const frames = openFrameStream(running.stdout, running.stdin, MAX_FRAME_BYTES);
  frames.send({ ...command.settings, nonce });
  const heard = await hear(frames, { nonce, deadlineMs });
  const patience = setTimeout(() => running.stop(), heard.exit === null && heard.late ? 0 : ENDING_MS);
  running.stdout.resume();
  const { ending, stderr } = await running.ended.finally(() => clearTimeout(patience));
  run.keepStderr(stderr);
  const told = heard.late ? ({ kind: 'timed-out', clock: 'wall' } as const) : ending;
  const agrees = ending.kind === 'exited' && ending.code === heard.exit;
  const complete = agrees && !heard.broken;
  return { ...heard, complete, why: complete ? '' : whyCut(heard, told), ending: told, exitRule: 'both' };
}

function whyCut({ exit, broken }: Heard, ending: Ending): string {
  if (broken) return 'something that is no result was on its private channel';
  return `it ${describeEnding(ending)} ${exit === null ? 'without the completion witness' : 'and had told otherwise'}`;
}

async function hear(frames: FrameStream, { nonce, deadlineMs }: { nonce: string; deadlineMs: number }): Promise<Heard> {
  const heard = { observed: [] as Observed[], exit: null, broken: false, late: false };
  for (;;) {
    const message = await next(frames, deadlineMs);
    if ('lost' in message) return { ...heard, broken: message.lost === 'broken', late: message.lost === 'late' };
    if (message.kind === 'done') {
      return message.nonce === nonce ? { ...heard, exit: message.exit } : { ...heard, broken: true };
    }
    if (heard.observed.length === MAX_RESULTS) return { ...heard, broken: true };
    const { id, status, note, wallMs } = message;
    heard.observed.push({ id, status, note, wallMs });
  }
}

type Message = z.infer<typeof messageSchema> | { readonly lost: 'closed' | 'late' | 'broken' };

async function next(frames: FrameStream, deadlineMs: number): Promise<Message> {
  try {
    return messageSchema.parse(parse(await frames.next(Math.max(1, deadlineMs - performance.now()))));
  } catch (thrown) {
    if (thrown instanceof StreamLost) return { lost: thrown.why === 'too-large' ? 'broken' : thrown.why };
    if (thrown instanceof z.ZodError || thrown instanceof ProctorError) return { lost: 'broken' };
    throw thrown;
  }
}

function parse(frame: Buffer): unknown {
  return parseHostileJson(frame.toString('utf8'), BOUNDS);
}
