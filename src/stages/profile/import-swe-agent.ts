import { z } from 'zod';
import { bytesOf } from './tool-call-step.ts';
import type { Trajectory } from './trajectory.ts';

const trajSchema = z.object({
  trajectory: z.array(
    z.object({
      action: z.string(),
      observation: z.string().nullish(),
      thought: z.string().nullish(),
      response: z.string().nullish(),
    }),
  ),
  info: z.object({ submission: z.string().nullish() }).nullish(),
});

/** A `.traj` of SWE-agent. Its editor acts on the file that was opened or created last, so that is told as the target of an edit. */
export function fromSweAgent(value: unknown): Trajectory {
  const { trajectory, info } = trajSchema.parse(value);
  let opened: string | undefined;
  const steps = trajectory.map(({ action, observation, thought, response }) => {
    const command = action.trimEnd();
    const [program, path] = command.trimStart().slice(0, 1_000).split(/\s+/, 2);
    if ((program === 'open' || program === 'create') && path !== undefined) opened = path;
    const outputBytes = bytesOf(observation);
    const thoughtChars = (thought ?? response)?.length;
    return {
      command,
      ...(outputBytes !== undefined && { outputBytes }),
      ...(thoughtChars !== undefined && { thoughtChars }),
      ...(program === 'edit' && opened !== undefined && { target: opened }),
    };
  });
  return { steps, ...(info?.submission != null && { patch: info.submission }) };
}
