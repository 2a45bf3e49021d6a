import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { fromAtif } from './import-atif.ts';
import { fromOpenAi } from './import-openai.ts';
import { fromSweAgent } from './import-swe-agent.ts';
import { type Trajectory, trajectorySchema } from './trajectory.ts';

/** Formats of sessions that ran elsewhere. */
export const TRAJECTORY_FORMATS = ['proctor', 'openai', 'atif', 'swe-agent'] as const;
/** One of them. */
export type TrajectoryFormat = (typeof TRAJECTORY_FORMATS)[number];

type Reader = (value: unknown) => Trajectory;

const READERS = {
  proctor: (value) => trajectorySchema.parse(value),
  openai: fromOpenAi,
  atif: fromAtif,
  'swe-agent': fromSweAgent,
} as const satisfies Record<TrajectoryFormat, Reader>;

/**
 * Reads a session of another program: our own neutral shape, chat messages as OpenAI's API has them, ATIF (the trajectory format of Harbor), or a
 * `.traj` of SWE-agent. What the format does not tell is missing. `bad-request` for what is none of it, or not of the format that is named.
 */
export function importTrajectory(text: string, format?: TrajectoryFormat): Trajectory {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProctorError('bad-request', 'a trajectory is one JSON document', {}, { cause });
  }
  const named = format ?? formatOf(value);
  if (named === null) {
    throw new ProctorError(
      'bad-request',
      `this is no trajectory that is known here (${TRAJECTORY_FORMATS.join(', ')})`,
    );
  }
  try {
    return READERS[named](value);
  } catch (thrown) {
    if (!(thrown instanceof z.ZodError)) throw thrown;
    throw new ProctorError('bad-request', `not a trajectory of the format ${named}: ${problemOf(thrown)}`);
  }
}

function problemOf({ issues: [first] }: z.ZodError): string {
  return first === undefined ? 'its shape is another' : `${first.path.join('.') || 'it'}: ${first.message}`;
}

function formatOf(value: unknown): TrajectoryFormat | null {
  if (Array.isArray(value)) return 'openai';
  if (typeof value !== 'object' || value === null) return null;
  if ('messages' in value) return 'openai';
  if ('trajectory' in value) return 'swe-agent';
  if ('schema_version' in value) return 'atif';
  return 'steps' in value ? 'proctor' : null;
}
