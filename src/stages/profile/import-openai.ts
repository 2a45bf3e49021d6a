import { z } from 'zod';
import { bytesOf, stepOfCall } from './tool-call-step.ts';
import type { Trajectory, TrajectoryStep } from './trajectory.ts';

const callSchema = z.object({
  id: z.string().optional(),
  function: z.object({ name: z.string(), arguments: z.union([z.string(), z.record(z.string(), z.unknown())]) }),
});
const messageSchema = z.object({
  role: z.string(),
  content: z.unknown().optional(),
  tool_calls: z.array(callSchema).nullish(),
  tool_call_id: z.string().optional(),
});
const messagesSchema = z.union([
  z.array(messageSchema),
  z.object({ messages: z.array(messageSchema) }).transform(({ messages }) => messages),
]);

/** Chat messages with tool calls (the Chat Completions API of OpenAI): each call is a step, and its tool's message what it showed. */
export function fromOpenAi(value: unknown): Trajectory {
  const messages = messagesSchema.parse(value);
  const steps: TrajectoryStep[] = [];
  const byCall = new Map<string, number>();
  for (const { role, content, tool_calls: calls, tool_call_id: answered } of messages) {
    if (role === 'tool') {
      const at = answered === undefined ? steps.length - 1 : (byCall.get(answered) ?? -1);
      const step = steps[at];
      const outputBytes = bytesOf(content);
      if (step !== undefined && outputBytes !== undefined) steps[at] = { ...step, outputBytes };
    }
    if (role !== 'assistant') continue;
    for (const [index, call] of (calls ?? []).entries()) {
      if (call.id !== undefined) byCall.set(call.id, steps.length);
      const parameters = parsed(call.function.arguments);
      const thoughtChars = index === 0 ? bytesOf(content) : undefined;
      steps.push({
        ...stepOfCall({ name: call.function.name, parameters }),
        ...(thoughtChars !== undefined && { thoughtChars }),
      });
    }
  }
  return { steps };
}

/** A model may write what is no JSON; then all of it is the command. */
function parsed(parameters: unknown): unknown {
  if (typeof parameters !== 'string') return parameters;
  try {
    return JSON.parse(parameters);
  } catch {
    return { command: parameters };
  }
}
