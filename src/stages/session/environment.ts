import { z } from 'zod';
import type { LiveSandbox, StepEnd } from '../../platform/sandbox/live-sandbox.ts';
import type { NewEvent } from './event.ts';
import type { ActionResult, Shown } from './observation.ts';
import type { ShellState } from './session.ts';

/** A program that an action runs in the workspace. */
export interface StepProgram {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** At most so long; what is left of the session's time bounds it too. */
  readonly wallMs?: number;
}

/** What such a program left. */
export interface RanProgram extends StepEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** What it wrote to the pipe at descriptor 9: its own word. */
  readonly told: Buffer;
}

/** What an action works with: one step of one session. */
export interface StepContext {
  readonly sandbox: Pick<LiveSandbox, 'readFile' | 'writeFile' | 'removeFile' | 'workFolder'>;
  /** Runs a program under the recorder, to its end. */
  run(program: StepProgram): Promise<RanProgram>;
  /** Keeps bytes whole and shows them in part. */
  show(name: Shown['name'], bytes: Buffer): Promise<Shown>;
  readonly shell: ShellState;
  setShell(state: ShellState): void;
  /** Notes what was done without a program. */
  note(event: Pick<NewEvent, 'type' | 'outcome' | 'detail'>): void;
}

/** One kind of action: its parameters, and what it does. */
export interface ActionKind<Parameters = unknown> {
  readonly about: string;
  readonly parameters: z.ZodType<Parameters>;
  /** Rejects only for faults of the platform; what the workspace refuses is in the result. */
  run(context: StepContext, parameters: Parameters): Promise<ActionResult>;
}

/** A way to act in a workspace; every one has the same shape of action, observation and feedback. */
export interface Environment {
  readonly name: string;
  readonly actions: Readonly<Record<string, ActionKind>>;
}

/** Types an action kind by its own parameters and stores it with those of others. */
export function actionKind<Parameters>(kind: ActionKind<Parameters>): ActionKind {
  return kind as ActionKind;
}

export const actionSchema = z.object({
  environment: z.string().max(40),
  action: z.string().max(40),
  parameters: z.record(z.string(), z.unknown()).default({}),
});
/** What a harness asks for. */
export type Action = Readonly<z.infer<typeof actionSchema>>;
