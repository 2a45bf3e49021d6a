import { MOST_TRACE_BYTES, type Recorder, type StepWatch } from '../../platform/recorder/recorder.ts';
import type { LiveSandbox, RunningStep, StepEnd } from '../../platform/sandbox/live-sandbox.ts';
import type { RanProgram, StepProgram } from './environment.ts';

const LOOK_MS = 250;

/** What one program of a step is run with. */
export interface ProgramParts {
  readonly sandbox: LiveSandbox;
  readonly recorder: Recorder;
  /** Tells this program from the session's others. */
  readonly name: string;
  /** What is left of the session's time and output. */
  readonly left: { readonly wallMs: number; readonly outputBytes: number };
  /** Is told every piece of output when it comes. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** A program that was run, and what watched it. */
export interface WatchedProgram {
  readonly ran: RanProgram;
  readonly running: RunningStep;
  readonly watch: StepWatch;
}

/** Runs a program in a live sandbox under the recorder, to its end. */
export async function runProgram(parts: ProgramParts, program: StepProgram): Promise<WatchedProgram> {
  const { sandbox, recorder, left, onOutput } = parts;
  const watch = recorder.watch(sandbox.hostFolder, parts.name);
  const running = await sandbox.step({
    ...{ argv: program.argv, cwd: program.cwd, env: program.env, outputBytes: left.outputBytes },
    wallMs: Math.min(program.wallMs ?? left.wallMs, left.wallMs),
    ...(watch.tracer === null ? {} : { tracer: watch.tracer }),
  });
  const [stdout, stderr] = [gather(running, 'stdout', onOutput), gather(running, 'stderr', onOutput)];
  running.stdin.end(program.stdin ?? Buffer.alloc(0));
  boundTrace(running, watch);
  const end = await running.ended.catch(async (thrown) => {
    if ((await watch.writtenBytes()) <= MOST_TRACE_BYTES) throw thrown;
    return FLOODED; // its tracer was stopped for what it made it write
  });
  return { ran: { ...end, stdout: stdout.take(), stderr: stderr.take(), told: running.told() }, running, watch };
}

/** What comes after the program's end is of what it left running: it is read, so that nothing there waits, and thrown away. */
function gather(running: RunningStep, name: 'stdout' | 'stderr', tell: ProgramParts['onOutput']) {
  let parts: Buffer[] | null = [];
  running[name].on('data', (chunk: Buffer) => {
    if (parts === null) return;
    parts.push(chunk);
    tell(name, chunk);
  });
  return {
    take() {
      const bytes = Buffer.concat(parts ?? []);
      parts = null;
      return bytes;
    },
  };
}

/** What is known of a step that was stopped for its trace. */
const FLOODED: StepEnd = {
  ...{ ending: { kind: 'too-much-output' }, wallMs: 0, cpuMs: 0, memoryPeakBytes: null, processPeak: null },
};

/** Also what it leaves running is ended for too long a trace. */
function boundTrace(running: RunningStep, watch: StepWatch): void {
  const look = async () => {
    if ((await watch.writtenBytes()) > MOST_TRACE_BYTES) running.end({ kind: 'too-much-output' });
  };
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  void running.gone.then(() => clearInterval(timer));
}
