import { Command } from 'commander';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import type { SessionHost } from '../../pipeline/session-host.ts';
import { asProctorError, ProctorError } from '../../platform/base/errors.ts';
import { saveInstance } from '../../stages/instance/instance-store.ts';
import { checkAction } from '../../stages/session/environments.ts';
import type { Observation } from '../../stages/session/observation.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import type { Task } from '../../stages/task/task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import type { Service } from '../open-service.ts';
import { dim, onScreen } from '../output.ts';
import { tellGraded } from '../tell-graded.ts';
import { sessionsOf, withService } from '../with-service.ts';

/** How often an agent is run when it is the platform that fails. */
const TRIES = 3;
const LONGEST_SECONDS = 3_600;

interface RunOptions {
  readonly agent: string;
  readonly seed?: string;
  readonly difficulty?: string;
  readonly with?: string;
  readonly env?: readonly string[];
  readonly allow?: readonly string[];
  readonly json?: true;
  readonly cases?: true;
}

/** `proctor run`: lets an agent work on a fresh instance in a workspace, and grades what it leaves. */
export function runCommand(): Command {
  return new Command('run')
    .argument('<task>', 'a task folder')
    .requiredOption('--agent <command>', 'runs in the workspace, by bash; it reads the instruction on standard input')
    .description('run a command-line agent in a recorded workspace and grade what it leaves')
    .option('--with <folder>', 'shown to it read-only as /proctor/agent: the agent itself')
    .option('--env <name...>', 'variables it is given: NAME (with its value here) or NAME=VALUE')
    .option('--allow <host...>', 'hosts that it may reach beside those of the task: host or host:port')
    .option('--seed <text>', 'the seed of the instance; without it a new one is drawn')
    .option('--difficulty <level>', 'a level of the task’s; without it the seed draws one')
    .option('--cases', 'also list every hidden case (may quote hidden values)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
The variable PROCTOR_INSTRUCTION has the instruction as well.

Examples:
  $ proctor run fixtures/implement-slugify --agent 'cat > notes.txt; ls'
  $ proctor run fixtures/wordtool --with ./my-agent --agent 'python3 /proctor/agent/main.py' \\
      --env OPENAI_API_KEY MODEL=some-model --allow api.example.com
  $ proctor session show SESSION`,
    )
    .action((task: string, options: RunOptions) =>
      withService((service) => runAgent(service, task, options), {}, { sessions: true }),
    );
}

async function runAgent(service: Service, folder: string, options: RunOptions): Promise<void> {
  const { parts } = service;
  const host = sessionsOf(service);
  const task = await loadTask(folder);
  await saveTask(parts, task);
  const instance = await drawInstance(parts, task, { seed: options.seed, difficulty: options.difficulty });
  const { id: instanceId } = await saveInstance(parts.database, instance);
  const given = { host, task, instanceId, instruction: instance.instruction, options };
  for (let tried = 1; ; tried++) {
    try {
      const { sessionId, artifactId, observation } = await runOnce(given);
      if (!options.json) tellEnd(sessionId, observation);
      const beside = { sessionId, agent: { status: observation.status, ...observation.data } };
      return await tellGraded(parts, artifactId, { ...options, beside });
    } catch (thrown) {
      const error = asProctorError(thrown);
      if (error.code !== 'sandbox-failed' || tried === TRIES) throw thrown;
      console.error(`proctor: the workspace failed (${error.message}); the agent is run again in a new one`);
    }
  }
}

interface Run {
  readonly host: SessionHost;
  readonly task: Task;
  readonly instanceId: string;
  readonly instruction: string;
  readonly options: RunOptions;
}

async function runOnce({ host, task, instanceId, instruction, options }: Run) {
  const extras = {
    tools: options.with === undefined ? {} : { agent: options.with },
    env: { PROCTOR_INSTRUCTION: instruction, ...variables(options.env ?? []) },
    allow: options.allow ?? [],
  };
  const { id: sessionId } = await host.open({ instanceId, idempotencyKey: null, extras });
  const write = (_: string, chunk: Buffer) => void process.stderr.write(chunk);
  const stop = options.json ? () => undefined : host.watch(sessionId, { grown: () => undefined, output: write });
  const abandon = () => void host.abandon(sessionId).finally(() => process.exit(130));
  process.once('SIGINT', abandon);
  try {
    const timeout_sec = Math.min(task.definition.agent.timeout_sec, LONGEST_SECONDS);
    const parameters = { command: options.agent, stdin: instruction, timeout_sec };
    const action = checkAction({ environment: 'shell', action: 'run', parameters });
    const observation = await host.act(sessionId, { action, messageId: null, tokens: 0 });
    const { artifactId, body } = await host.finish(sessionId);
    if (artifactId === null) throw new ProctorError('sandbox-failed', body.reason ?? 'the session has ended');
    return { sessionId, artifactId, observation };
  } catch (thrown) {
    await host.abandon(sessionId).catch(() => undefined); // nobody else ends it
    throw thrown;
  } finally {
    process.off('SIGINT', abandon);
    stop();
  }
}

function variables(given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
    const value = process.env[text];
    if (value === undefined) throw new ProctorError('bad-request', `--env ${text}: there is no such variable here`);
    return [text, value] as const;
  });
  return Object.fromEntries(pairs);
}

function tellEnd(sessionId: string, { status, error, feedback }: Observation): void {
  const why = error === null ? '' : `: ${onScreen(error.message)}`;
  console.log(`agent      ${status}${why} after ${(feedback.wall_ms / 1000).toFixed(1)} s`);
  console.log(dim(`session    ${sessionId}  (proctor session show ${sessionId})`));
}
