import { atifOf } from './atif.ts';
import type { Chosen } from './chosen.ts';
import type { Episode } from './episode.ts';
import { type Message, promptMessages, type Tool, toolsOf, workMessages } from './messages.ts';
import { segmentSteps } from './segment.ts';

/** One episode as it is written, with what was chosen of it. */
export interface Taken {
  readonly episode: Episode;
  readonly chosen: Chosen;
  readonly instruction: string;
}

/** What stands beside the texts of a record: all of it is public, and none of it draws anything. */
export function metadataOf({ episode, chosen }: Taken) {
  const { candidate, group, quality, novelty, difficulty } = chosen;
  const { labels } = candidate;
  return {
    ...{ episode: episode.id, task: episode.task.name, task_digest: episode.task.digest },
    ...{ instance: episode.instance.digest, prompt_group: group.key, side: group.side },
    ...{ run: episode.labels.run, step: episode.labels.step, policy: episode.labels.policyVersion },
    ...{ phase: episode.labels.phase, origin: episode.origin, verdict: episode.verdict?.id ?? null },
    ...{ outcome: labels.outcome, integrity: labels.integrity, fault: labels.fault, technique: labels.technique },
    label: labels.isAccused ? 'negative' : 'positive',
    ...{ completion: labels.completion, validity: rounded(labels.validity), exceptions: labels.exceptions },
    ...{ reward: candidate.reward, weight: candidate.weight, quality: rounded(quality), novelty: rounded(novelty) },
    ...{ steps: candidate.steps, tokens: candidate.tokens, difficulty: difficultyText(difficulty) },
  };
}

/** As many digits as mean something, so that files of two machines are the same. */
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 1e6) / 1e6);

function difficultyText({ tier, passed, of, mean, low, high, isWithinReach }: Chosen['difficulty']) {
  const rate = { mean: rounded(mean), low: rounded(low), high: rounded(high) };
  return { tier, passed, of, ...rate, within_reach: isWithinReach };
}

/** OpenAI's chat format: messages with tool calls, and the tools. */
export function openaiRecord(taken: Taken): unknown {
  const { episode, instruction } = taken;
  return {
    messages: [...promptMessages(instruction), ...workMessages(episode)],
    tools: toolsOf(episode.steps),
    metadata: metadataOf(taken),
  };
}

/** Harbor's trajectory format; parts of long sessions stand in `extra`. */
export function atifRecord(taken: Taken): unknown {
  const { episode, instruction } = taken;
  return atifOf(episode, instruction, { ...metadataOf(taken), segments: segmentSteps(episode.steps) });
}

/** Prompt and completion, of work that was right; null of other work. */
export function sftRecord(taken: Taken): unknown {
  const { episode, instruction, chosen } = taken;
  const { labels } = chosen.candidate;
  if (labels.outcome !== 'passed' || labels.isAccused) return null;
  return {
    ...{ prompt: promptMessages(instruction), completion: workMessages(episode), tools: toolsOf(episode.steps) },
    metadata: metadataOf(taken),
  };
}

/** One side of a preference pair: what is needed of it until the other is there. */
export interface PairSide {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly metadata: ReturnType<typeof metadataOf>;
}

export function pairSideOf(taken: Taken): PairSide {
  const { episode } = taken;
  return { messages: workMessages(episode), tools: toolsOf(episode.steps), metadata: metadataOf(taken) };
}

/** Two sessions of one instance, the better and the worse. */
export function preferenceRecord(instruction: string, better: PairSide, worse: PairSide): unknown {
  const tools = new Map([...better.tools, ...worse.tools].map((tool) => [tool.function.name, tool]));
  return {
    ...{ prompt: promptMessages(instruction), chosen: better.messages, rejected: worse.messages },
    tools: [...tools.values()],
    metadata: { chosen: better.metadata, rejected: worse.metadata },
  };
}

/** What a policy is asked, with how hard it was for it; the answer is found by working in a workspace. */
export function promptRecord({ instruction, chosen }: Taken): unknown {
  const { candidate, group, difficulty } = chosen;
  return {
    ...{ prompt: promptMessages(instruction), tools: toolsOf(null) },
    metadata: {
      ...{ task: candidate.task, task_digest: candidate.taskDigest, instance: candidate.instance },
      ...{
        prompt_group: group.key,
        side: group.side,
        policy: candidate.policy,
        difficulty: difficultyText(difficulty),
      },
    },
  };
}
