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
  const steps: TrajectoryStep[] = [];
  const byCall = new Map<string, number>();
  for (const message of messagesSchema.parse(value)) {
    if (message.role === 'assistant') addCalls(message, steps, byCall);
    else if (message.role === 'tool') addAnswer(message, steps, byCall);
  }
  return { steps };
}

type Message = z.infer<typeof messageSchema>;

function addCalls({ content, tool_calls: calls }: Message, steps: TrajectoryStep[], byCall: Map<string, number>): void {
  for (const [index, call] of (calls ?? []).entries()) {
    if (call.id !== undefined) byCall.set(call.id, steps.length);
    const step = stepOfCall({ name: call.function.name, parameters: parsed(call.function.arguments) });
    // what was said before several calls counts once
    const thoughtChars = index === 0 ? bytesOf(content) : undefined;
    steps.push({ ...step, ...(thoughtChars !== undefined && { thoughtChars }) });
  }
}

function addAnswer({ content, tool_call_id: id }: Message, steps: TrajectoryStep[], byCall: Map<string, number>): void {
  const at = id === undefined ? steps.length - 1 : (byCall.get(id) ?? -1);
  const step = steps[at];
  const outputBytes = bytesOf(content);
  if (step !== undefined && outputBytes !== undefined) steps[at] = { ...step, outputBytes };
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
