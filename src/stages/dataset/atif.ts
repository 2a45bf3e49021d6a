import type { Episode, EpisodeStep } from './episode.ts';
import { observationText, toolName, toolsOf } from './messages.ts';

/** The version of Harbor's Agent Trajectory Interchange Format that is written. */
const ATIF_VERSION = 'ATIF-v1.7';

/**
 * An episode as an ATIF trajectory (harborframework.com/docs/trajectory-format): the instruction as the first step, then one for each action.
 * What nobody recorded, such as the agent's own words, is empty or left out.
 */
export function atifOf(episode: Episode, prompt: string, extra: Readonly<Record<string, unknown>>): unknown {
  const { labels, steps } = episode;
  const tokens = steps.flatMap((step) => (step.tokens === null ? [] : [step.tokens]));
  return {
    ...{ schema_version: ATIF_VERSION, session_id: episode.id, trajectory_id: episode.id },
    agent: {
      ...{ name: labels.policyVersion ?? 'unknown', version: labels.policyVersion ?? 'unknown' },
      tool_definitions: toolsOf(steps),
    },
    steps: [
      { step_id: 1, timestamp: episode.openedAt.toISOString(), source: 'user', message: prompt },
      ...steps.map((step, index) => stepOf(step, index + 2)),
    ],
    final_metrics: {
      ...(tokens.length === 0 ? {} : { total_completion_tokens: tokens.reduce((sum, each) => sum + each, 0) }),
      total_steps: steps.length + 1,
    },
    extra,
  };
}

function stepOf(step: EpisodeStep, id: number): unknown {
  const { action, at, mark, tokens } = step;
  if (mark?.kind === 'user-turn') return { step_id: id, timestamp: at, source: 'user', message: mark.text };
  const call = `call_${step.step}`;
  return {
    ...{ step_id: id, timestamp: at, source: 'agent', message: '' },
    tool_calls: [{ tool_call_id: call, function_name: toolName(action), arguments: action.parameters }],
    observation: { results: [{ source_call_id: call, content: observationText(step) }] },
    ...(tokens === null ? {} : { metrics: { completion_tokens: tokens } }),
  };
}
