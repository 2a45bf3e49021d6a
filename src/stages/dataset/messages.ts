import { z } from 'zod';
import { ENVIRONMENTS } from '../session/environments.ts';
import type { Episode, EpisodeStep } from './episode.ts';

/** A call of a tool, as chat APIs have it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** One message of OpenAI's chat format. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** A tool as a chat API is told of it. */
export interface Tool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

/** The name of the tool that an action was, in the characters that chat APIs take. */
export const toolName = ({ environment, action }: EpisodeStep['action']): string =>
  environment === 'reported' ? 'act' : `${environment}_${action}`;

/** What the subject was asked. */
export function promptMessages(instruction: string): readonly Message[] {
  return [{ role: 'user', content: instruction }];
}

/** What the subject did and saw: actions of one message of its are one message here. Its own words are not recorded, so they are empty. */
export function workMessages({ steps }: Pick<Episode, 'steps'>): readonly Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < steps.length; ) {
    const first = steps[at] as EpisodeStep;
    if (first.mark?.kind === 'user-turn') {
      messages.push({ role: 'user', content: first.mark.text });
      at++;
      continue;
    }
    const together = sameMessage(steps, at);
    messages.push({ role: 'assistant', content: '', tool_calls: together.map(toolCall) });
    messages.push(...together.map((step) => seen(step)));
    at += together.length;
  }
  return messages;
}

function sameMessage(steps: readonly EpisodeStep[], from: number): readonly EpisodeStep[] {
  const { messageId } = steps[from] as EpisodeStep;
  let to = from + 1;
  while (messageId !== null && steps[to]?.messageId === messageId && steps[to]?.mark?.kind !== 'user-turn') to++;
  return steps.slice(from, to);
}

const callId = ({ step }: EpisodeStep) => `call_${step}`;

function toolCall(step: EpisodeStep): ToolCall {
  const { action } = step;
  const text = JSON.stringify(action.parameters);
  return { id: callId(step), type: 'function', function: { name: toolName(action), arguments: text } };
}

function seen(step: EpisodeStep): Message {
  return { role: 'tool', tool_call_id: callId(step), content: observationText(step) };
}

/** What a step showed, with how it ended where that is not plain. */
export function observationText({ observation }: EpisodeStep): string {
  const { text, exitCode, status, error } = observation;
  const end = exitCode !== null && exitCode !== 0 ? `[exit code ${exitCode}]` : (error ?? endOf(status));
  return [text, end].filter((part) => part !== '').join('\n');
}

const endOf = (status: string) => (status === 'ok' || status === 'reported' ? '' : `[${status}]`);

/** Every action of every environment as a tool, by its name. */
const TOOLS: ReadonlyMap<string, Tool> = new Map(
  Object.values(ENVIRONMENTS).flatMap((environment) =>
    Object.entries(environment.actions).map(([action, { about, parameters }]) => {
      const name = toolName({ environment: environment.name, action, parameters: {} });
      const { $schema: _schema, ...schema } = z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' });
      return [name, { type: 'function', function: { name, description: about, parameters: schema } }] as const;
    }),
  ),
);

/** The tools that an episode used, or all that a workspace has. Those of a foreign harness are known by name only. */
export function toolsOf(steps: readonly EpisodeStep[] | null): readonly Tool[] {
  if (steps === null) return [...TOOLS.values()];
  const names = [
    ...new Set(steps.filter(({ mark }) => mark?.kind !== 'user-turn').map(({ action }) => toolName(action))),
  ];
  return names.sort().map((name) => TOOLS.get(name) ?? foreignTool(name));
}

function foreignTool(name: string): Tool {
  const parameters = { type: 'object', additionalProperties: true };
  return { type: 'function', function: { name, description: 'an action of the harness that reported it', parameters } };
}
