import type { Episode, EpisodeFacts } from '../stages/dataset/episode.ts';
import type { EpisodeSource } from '../stages/dataset/episode-source.ts';
import { listEpisodeFacts } from '../stages/dataset/episode-store.ts';
import { type Guard, guardOf } from '../stages/dataset/guard.ts';
import type { Recipe } from '../stages/dataset/recipe.ts';
import { type BuiltDataset, type ExportProgress, writeDataset } from '../stages/dataset/write-dataset.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { remakeInstance } from '../stages/instance/make-instance.ts';
import { findTask } from '../stages/task/task-store.ts';
import { type EpisodeParts, listEpisodes, withSteps, withTexts } from './load-episode.ts';

/** Instances whose texts and guards are kept; episodes of one come one after the other. */
const MOST_KEPT = 256;

/** Builds the data set that a recipe describes from what is stored; see {@link writeDataset}. */
export function buildDataset(
  parts: EpisodeParts,
  wanted: { readonly recipe: Recipe; readonly out: string },
  onProgress?: ExportProgress,
): Promise<BuiltDataset> {
  return writeDataset(openSource(parts, wanted.recipe), wanted, onProgress);
}

/** Episodes as the database has them. */
function openSource(parts: EpisodeParts, { from }: Recipe): EpisodeSource {
  const { runs, tasks, since, until, phase } = from;
  const query = { runs, tasks, since, until, phase: phase === 'any' ? undefined : phase };
  return {
    async *all() {
      for await (const page of pagesOf(listEpisodes(parts, query))) yield* withSteps(parts, page);
    },
    async *some(ids) {
      const facts = await listEpisodeFacts(parts.database, { ids, limit: ids.length });
      const byId = new Map(facts.map((each) => [each.id, each]));
      const inOrder = ids.flatMap((id) => byId.get(id) ?? []);
      for await (const episode of withSteps(parts, inOrder)) yield withTexts(parts.blobs, episode);
    },
    given: keptInstances(parts),
  };
}

const PAGE = 200;

async function* pagesOf(facts: AsyncIterable<EpisodeFacts>): AsyncGenerator<readonly EpisodeFacts[]> {
  let page: EpisodeFacts[] = [];
  for await (const each of facts) {
    page.push(each);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

interface Given {
  readonly instruction: string;
  readonly guard: Guard;
}

/** Makes each instance again, to know what its subject was asked and what must not leave of it. */
function keptInstances(parts: EpisodeParts): (episode: Episode) => Promise<Given> {
  const kept = new Map<string, Promise<Given>>();
  return ({ instance }) => {
    const known = kept.get(instance.id);
    if (known !== undefined) return known;
    const [oldest] = kept.keys();
    if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    const made = makeGiven(parts, instance.id);
    kept.set(instance.id, made);
    return made;
  };
}

async function makeGiven(parts: EpisodeParts, instanceId: string): Promise<Given> {
  const row = await findInstance(parts.database, instanceId);
  const task = await findTask(parts, row.taskDigest);
  const instance = remakeInstance(task, row);
  return { instruction: instance.instruction, guard: guardOf(task, instance) };
}
