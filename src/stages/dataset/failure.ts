import { type Episode, isAccused } from './episode.ts';
import { type EpisodeLabels, labelEpisode } from './label-episode.ts';
import { isRight, testRunOf } from './step-kind.ts';

/** What counts as a failure. */
export const FAILURES = ['not-done', 'stopped', 'wrong', 'timed-out', 'environment', 'cheated'] as const;
export type FailureKind = (typeof FAILURES)[number];

/** What a failure may have come from. */
export const CAUSES = [
  ...(['environment', 'task-understanding', 'tool-use', 'model-output', 'task-defect', 'cheat-technique'] as const),
] as const;
export type Cause = (typeof CAUSES)[number];

/** How an episode failed, and what the record proposes as the cause; a person confirms it. */
export interface Failure {
  readonly kind: FailureKind;
  readonly cause: Cause;
}

/** Work of which less got somewhere was not wrong about the task but about its tools. */
const LEAST_VALIDITY = 0.5;
/** More failed commands than this share point at the tools, too. */
const MOST_FAILED_SHARE = 0.5;

/** How an episode failed; null where it did not. By rules over what is stored, never over what the subject says. Pure. */
export function failureOf(episode: Episode): Failure | null {
  const labels = labelEpisode(episode);
  const kind = kindOf(episode, labels);
  return kind === null ? null : { kind, cause: causeOf(kind, episode, labels) };
}

function kindOf(episode: Episode, { outcome, fault }: EpisodeLabels): FailureKind | null {
  if (isAccused(episode)) return 'cheated';
  if (outcome === 'passed') return null;
  if (outcome === 'ungraded' || fault === 'platform' || fault === 'task') return 'environment';
  const { end, steps } = episode;
  if (end.outcome === 'failed' || end.outcome === 'abandoned') return 'stopped';
  if (outcome === 'not-done') return 'not-done';
  return steps.at(-1)?.observation.status === 'timed-out' || steps.some(isOverBudget) ? 'timed-out' : 'wrong';
}

const isOverBudget = ({ observation }: Episode['steps'][number]) => observation.status === 'budget-reached';

function causeOf(kind: FailureKind, { steps }: Episode, { fault, validity }: EpisodeLabels): Cause {
  if (kind === 'cheated') return 'cheat-technique';
  if (fault === 'task') return 'task-defect';
  if (kind === 'environment' || fault === 'platform') return 'environment';
  const failed = steps.filter((step) => !isRight(step) && step.observation.status !== 'reported').length;
  if ((validity ?? 1) < LEAST_VALIDITY || failed > steps.length * MOST_FAILED_SHARE) return 'tool-use';
  // who saw tests of their own pass was sure of something else than what was asked
  const lastRun = steps.map(testRunOf).findLast((run) => run !== null);
  return lastRun === 'green' ? 'task-understanding' : 'model-output';
}
