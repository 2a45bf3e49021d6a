import { type Print, printOf, textShingles } from '../profile/near-duplicate.ts';
import type { Episode } from './episode.ts';
import { type EpisodeLabels, labelEpisode } from './label-episode.ts';
import { actionText } from './step-kind.ts';

/** What is kept in memory of an episode while it is decided which ones are taken: about half a kilobyte. */
export interface Candidate {
  readonly id: string;
  readonly task: string;
  readonly taskDigest: string;
  /** Episodes that share any of these are of one prompt group: the instance, and the group that the trainer named. */
  readonly instance: string;
  readonly trainerGroup: string | null;
  readonly policy: string | null;
  readonly steps: number;
  readonly tokens: number | null;
  readonly wallMs: number;
  readonly reward: number | null;
  readonly weight: number | null;
  readonly labels: EpisodeLabels;
  /** Of its actions; null where there are none. */
  readonly print: Print | null;
  /** Why it may not be taken whatever the recipe says; null: it may. */
  readonly barred: Barred | null;
}

/** Reasons that no recipe lifts. */
export type Barred = 'pending' | 'masked' | 'quarantined' | 'evaluated' | 'seed-retired' | 'cut';

/** Words of one action, and actions, that the print is of. */
const MOST_ACTION_CHARS = 1_000;
const MOST_ACTIONS = 200;

/** Sums an episode up. Nothing of its texts is kept. */
export function candidateOf(episode: Episode, wantsEvaluated: boolean): Candidate {
  const { labels: place, reward, decision, steps } = episode;
  const counted = steps.flatMap(({ tokens }) => (tokens === null ? [] : [tokens]));
  return {
    ...{ id: episode.id, task: episode.task.name, taskDigest: episode.task.digest, instance: episode.instance.digest },
    trainerGroup: place.group === null ? null : JSON.stringify([place.run, place.group]),
    ...{ policy: place.policyVersion, steps: steps.length },
    tokens: counted.length === 0 ? null : counted.reduce((sum, tokens) => sum + tokens, 0),
    wallMs: steps.reduce((sum, { wallMs }) => sum + (wallMs ?? 0), 0),
    ...{ reward: reward?.body.reward ?? null, weight: decision?.body.weight ?? null },
    ...{ labels: labelEpisode(episode), print: printOfActions(episode), barred: barredOf(episode, wantsEvaluated) },
  };
}

function printOfActions({ steps }: Episode): Print | null {
  const actions = steps.slice(0, MOST_ACTIONS).map((step) => actionText(step).slice(0, MOST_ACTION_CHARS));
  return actions.length === 0 ? null : printOf(textShingles(actions.join('\n')));
}

/** Unknown is never good news: what has no reward yet is not taken, and what nobody may learn from never is. */
function barredOf(episode: Episode, wantsEvaluated: boolean): Barred | null {
  const { verdict, decision, reward, isCut } = episode;
  if (verdict === null || decision === null || reward === null) return 'pending';
  if (decision.body.mask || reward.body.maskSample) {
    return reward.body.status === 'quarantined' || decision.body.action === 'quarantine' ? 'quarantined' : 'masked';
  }
  if (reward.body.status !== 'scored') return 'masked';
  if (isCut) return 'cut';
  if (!wantsEvaluated && episode.isRetired) return 'seed-retired';
  return !wantsEvaluated && episode.isEvaluated ? 'evaluated' : null;
}
