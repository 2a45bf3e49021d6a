import { z } from 'zod';
import { validityOf } from '../profile/quality.ts';
import { type Episode, isAccused } from './episode.ts';
import { movesOfSteps } from './step-kind.ts';

export const labelsSchema = z.object({
  /** Of the newest verdict; `not-done`: nothing was handed in. */
  outcome: z.enum(['passed', 'failed', 'ungraded', 'not-done']),
  /** How much of the task was done, 0 to 1; null: not graded. */
  completion: z.number().nullable(),
  /** The share of steps that got somewhere; null without steps. */
  validity: z.number().nullable(),
  /** Steps that did not end well, by their status. */
  exceptions: z.record(z.string(), z.int()),
  integrity: z.enum(['clean', 'suspect', 'violated', 'unknown', 'not-judged']),
  fault: z.enum(['none', 'subject', 'task', 'platform']),
  isAccused: z.boolean(),
  /** The gravest thing that was found, by name; null: nothing. */
  technique: z.string().nullable(),
});
/** What an episode is called in a data set. */
export type EpisodeLabels = Readonly<z.infer<typeof labelsSchema>>;

const GRAVITY: readonly string[] = ['violation', 'suspect'];
const PLAIN: readonly string[] = ['ok', 'reported'];

/** Labels of one episode. Pure: from what is stored of it, never from its own words. */
export function labelEpisode(episode: Episode): EpisodeLabels {
  const { verdict, end, steps } = episode;
  const exceptions: Record<string, number> = {};
  for (const { observation } of steps) {
    if (!PLAIN.includes(observation.status)) exceptions[observation.status] = (exceptions[observation.status] ?? 0) + 1;
  }
  const isGraded = verdict !== null && verdict.body.outcome !== 'ungraded';
  return {
    outcome: verdict?.body.outcome ?? (episode.artifactId === null ? 'not-done' : 'ungraded'),
    completion: isGraded ? verdict.body.score : null,
    validity: validityOf(movesOfSteps(steps)).validity,
    exceptions,
    integrity: verdict?.body.integrity ?? 'not-judged',
    fault: verdict?.body.fault ?? end.fault,
    isAccused: isAccused(episode),
    technique: techniqueOf(episode),
  };
}

/** The gravest signal, by name, and of equals the first in the alphabet; null where nothing weighs more than a note. */
export function techniqueOf({ verdict }: Pick<Episode, 'verdict'>): string | null {
  for (const severity of GRAVITY) {
    const kinds = (verdict?.body.signals ?? []).filter((each) => each.severity === severity).map(({ kind }) => kind);
    const [first] = kinds.sort();
    if (first !== undefined) return first;
  }
  return null;
}
