import { type CostBy, CostLedger } from '../stages/dataset/cost.ts';
import type { EpisodeQuery } from '../stages/dataset/episode-store.ts';
import { episodesOf } from './compare-runs.ts';
import type { EpisodeParts } from './load-episode.ts';

/** Adds up what ended sessions used. */
export async function addCosts(
  parts: Pick<EpisodeParts, 'database'>,
  by: CostBy,
  query: Omit<EpisodeQuery, 'limit'>,
): Promise<CostLedger> {
  const ledger = new CostLedger(by);
  for await (const episode of episodesOf(parts, query)) ledger.note(episode);
  return ledger;
}
