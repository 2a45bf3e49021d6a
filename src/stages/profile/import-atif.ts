import { z } from 'zod';
import { bytesOf, stepOfCall } from './tool-call-step.ts';
import type { Trajectory, TrajectoryStep } from './trajectory.ts';

const stepSchema = z.object({
  source: z.string(),
  timestamp: z.string().nullish(),
  message: z.unknown().optional(),
  reasoning_content: z.string().nullish(),
  tool_calls: z
    .array(z.object({ tool_call_id: z.string().optional(), function_name: z.string(), arguments: z.unknown() }))
    .nullish(),
  observation: z
    .object({ results: z.array(z.object({ source_call_id: z.string().nullish(), content: z.unknown().optional() })) })
    .nullish(),
  metrics: z.object({ completion_tokens: z.number().nonnegative().nullish() }).nullish(),
});
const atifSchema = z.object({
  schema_version: z.string().regex(/^ATIF-v1\./, 'is not ATIF-v1.x'),
  steps: z.array(stepSchema),
});

type AtifStep = z.infer<typeof stepSchema>;

/**
 * An ATIF trajectory (Agent Trajectory Interchange Format, versions 1.x, as Harbor writes it): each tool call of the agent is a step. A step's time
 * is that of its message, which is when it began; when it ended nobody says.
 */
export function fromAtif(value: unknown): Trajectory {
  const { steps } = atifSchema.parse(value);
  return { steps: steps.filter(({ source }) => source === 'agent').flatMap(callsOf) };
}

function callsOf({ tool_calls: calls, observation, metrics, timestamp, ...said }: AtifStep): readonly TrajectoryStep[] {
  const startMs = timestamp == null ? Number.NaN : Date.parse(timestamp);
  const tokens = metrics?.completion_tokens ?? null;
  const results = observation?.results ?? [];
  return (calls ?? []).map(({ tool_call_id: id, function_name: name, arguments: parameters }, index) => {
    const result =
      results.find(({ source_call_id: of }) => of != null && of === id) ??
      (results.length === calls?.length ? results[index] : undefined);
    const outputBytes = bytesOf(result?.content);
    const thoughtChars = bytesOf(said.reasoning_content ?? said.message);
    return {
      ...stepOfCall({ name, parameters }),
      ...(outputBytes !== undefined && { outputBytes }),
      ...(!Number.isNaN(startMs) && { startMs }),
      // what was written before several calls counts once
      ...(index === 0 && tokens !== null && { outputTokens: tokens }),
      ...(index === 0 && thoughtChars !== undefined && { thoughtChars }),
    };
  });
}
