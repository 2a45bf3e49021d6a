import { z } from 'zod';
import { actionKind, type Environment, type RanProgram, type StepContext } from '../environment.ts';
import type { ActionResult } from '../observation.ts';
import { readShellState } from './shell-state.ts';

const runSchema = z.strictObject({
  command: z.string().min(1).max(131_072).describe('for bash; functions, pipes and background jobs as ever'),
  timeout_sec: z.number().positive().max(3_600).default(120).describe('ends the command with all that it started'),
  stdin: z.string().max(1_048_576).optional(),
});

/**
 * Tells where the shell is and what its variables are, when it ends, on a pipe of its own; what the command left is only ever used
 * for the agent's own next command. The command stands in an argument: nothing in it can end the part before it.
 */
const WRAPPER = `__proctor_tell() {
  local IFS=$' \\n' name
  builtin printf '%s\\0' "$PWD"
  for name in $(builtin compgen -e); do builtin printf '%s=%s\\0' "$name" "\${!name}"; done
}
trap '__proctor_tell >&9 2>/dev/null' EXIT
eval "$1"`;

/** Commands in a live workspace: the folder, the variables and background programs stay from one to the next. */
export const SHELL: Environment = {
  name: 'shell',
  actions: {
    run: actionKind({
      about: 'runs a command; what it leaves running lives on until the session ends',
      parameters: runSchema,
      async run(context, { command, timeout_sec, stdin }) {
        const { cwd, env } = context.shell;
        const ran = await context.run({
          argv: ['/bin/bash', '--noprofile', '--norc', '-c', WRAPPER, 'bash', command],
          ...{ cwd, env, wallMs: timeout_sec * 1000 },
          ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin) }),
        });
        const state = readShellState(ran.told);
        if (state !== null) context.setShell(state);
        return resultOf(context, ran, state?.cwd ?? cwd);
      },
    }),
  },
};

async function resultOf(context: StepContext, ran: RanProgram, cwd: string): Promise<ActionResult> {
  const outputs = [await context.show('stdout', ran.stdout), await context.show('stderr', ran.stderr)];
  const { ending } = ran;
  const code = ending.kind === 'exited' ? ending.code : null;
  const signal = ending.kind === 'signalled' ? ending.signal : null;
  const data = { exit_code: code, signal, cwd, cpu_ms: Math.round(ran.cpuMs), memory_peak_bytes: ran.memoryPeakBytes };
  return { ...wordOf(ran), outputs, data };
}

function wordOf({ ending }: RanProgram): Pick<ActionResult, 'status' | 'error'> {
  switch (ending.kind) {
    case 'exited': {
      const { code } = ending;
      if (code === 0) return { status: 'ok', error: null };
      return { status: 'failed', error: { code: 'exit-status', message: `the command ended with exit code ${code}` } };
    }
    case 'signalled':
      return {
        status: 'failed',
        error: { code: 'signalled', message: `the command was ended by signal ${ending.signal}` },
      };
    case 'timed-out':
      return limited('timed-out', 'the command took too long and was ended with all that it started');
    case 'out-of-memory':
      return limited('out-of-memory', 'the workspace has no more memory than that');
    case 'too-much-output':
      return limited('too-much-output', 'the command wrote more than is taken and was ended');
    case 'stopped':
      return limited('stopped', 'the command was stopped');
  }
}

function limited(status: ActionResult['status'], message: string): Pick<ActionResult, 'status' | 'error'> {
  return { status, error: { code: 'limit', message } };
}
