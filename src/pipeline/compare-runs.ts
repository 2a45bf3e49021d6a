import { ProctorError } from '../platform/base/errors.ts';
import { type Comparison, compareRuns, type Outcome } from '../stages/dataset/compare-runs.ts';
import type { Episode, EpisodeFacts } from '../stages/dataset/episode.ts';
import type { EpisodeQuery } from '../stages/dataset/episode-store.ts';
import { failureOf } from '../stages/dataset/failure.ts';
import { type EpisodeParts, listEpisodes, withSteps } from './load-episode.ts';

/** Compares what two runs did on the same instances; `not-found` where a run has no ended session. */
export async function compareStoredRuns(
  parts: Pick<EpisodeParts, 'database'>,
  one: string,
  other: string,
): Promise<Comparison> {
  return compareRuns(await outcomesOf(parts, one), await outcomesOf(parts, other));
}

async function outcomesOf(parts: Pick<EpisodeParts, 'database'>, run: string): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const episode of episodesOf(parts, { runs: [run] })) outcomes.push(outcomeOf(episode));
  if (outcomes.length > 0) return outcomes;
  throw new ProctorError('not-found', `no session of run ${JSON.stringify(run)} has ended`);
}

/** Episodes with their steps and without texts, page by page. */
export async function* episodesOf(
  parts: Pick<EpisodeParts, 'database'>,
  query: Omit<EpisodeQuery, 'limit'>,
): AsyncGenerator<Episode> {
  const page: EpisodeFacts[] = [];
  for await (const facts of listEpisodes(parts, query)) {
    page.push(facts);
    if (page.length >= 200) yield* withSteps(parts, page.splice(0));
  }
  yield* withSteps(parts, page);
}

function outcomeOf(episode: Episode): Outcome {
  const failure = failureOf(episode);
  const { verdict } = episode;
  const isGraded = verdict !== null && verdict.body.outcome !== 'ungraded' && verdict.body.integrity !== 'unknown';
  // what was not earned honestly was not earned
  const score = isGraded ? (failure?.kind === 'cheated' ? 0 : verdict.body.score) : null;
  return {
    ...{ task: episode.task.name, instance: episode.instance.digest, score },
    ...{ kind: failure?.kind ?? null, cause: failure?.cause ?? null },
  };
}
