import { digestSchema } from '../platform/base/digest.ts';
import { ProctorError } from '../platform/base/errors.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import type { Episode, EpisodeFacts, EpisodeStep } from '../stages/dataset/episode.ts';
import { type EpisodeQuery, listEpisodeFacts, listStepEvents } from '../stages/dataset/episode-store.ts';
import { readSteps } from '../stages/dataset/read-steps.ts';
import { shownText } from '../stages/session/show-output.ts';

/** What episodes are read with. */
export interface EpisodeParts {
  readonly database: Database;
  readonly blobs: Blobs;
}

/** Events of one session that are read: two for each step. */
const MOST_EVENTS = 4_000;
/** Steps that are read at once, so that memory does not grow with how long sessions are; one session is read whole. */
const STEPS_AT_ONCE = 1_000;
const SESSIONS_AT_ONCE = 100;
/** Sessions whose facts are read at once. */
const FACTS_AT_ONCE = 500;

/** One episode with its steps and what they showed. `not-found` when no such session has ended. */
export async function loadEpisode(parts: EpisodeParts, sessionId: string): Promise<Episode> {
  const [facts] = await listEpisodeFacts(parts.database, { ids: [sessionId], limit: 1 });
  if (facts === undefined) throw new ProctorError('not-found', `no ended session ${JSON.stringify(sessionId)}`);
  for await (const episode of withSteps(parts, [facts])) return withTexts(parts.blobs, episode);
  throw new ProctorError('defect', `session ${sessionId} was found and has no episode`);
}

/** Facts of all episodes that are asked for, in the order of their ids, read page by page. */
export async function* listEpisodes(
  { database }: Pick<EpisodeParts, 'database'>,
  query: Omit<EpisodeQuery, 'limit'> & { readonly limit?: number | undefined },
): AsyncGenerator<EpisodeFacts> {
  let [after, left] = [query.after, query.limit ?? Number.POSITIVE_INFINITY];
  while (left > 0) {
    const limit = Math.min(FACTS_AT_ONCE, left);
    const page = await listEpisodeFacts(database, { ...query, after, limit });
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1)?.id;
    left -= page.length;
  }
}

/** The same episodes with their steps, in the order given; texts that are kept by digest are not loaded yet. */
export async function* withSteps(
  { database }: Pick<EpisodeParts, 'database'>,
  facts: readonly EpisodeFacts[],
): AsyncGenerator<Episode> {
  for (const batch of batchesOf(facts)) {
    const ids = batch.map(({ id }) => id);
    const events = await listStepEvents(database, ids, MOST_EVENTS);
    for (const each of batch) {
      const own = events.get(each.id) ?? [];
      yield { ...each, steps: readSteps(own), isCut: own.length >= MOST_EVENTS };
    }
  }
}

function* batchesOf(facts: readonly EpisodeFacts[]): Generator<readonly EpisodeFacts[]> {
  let [batch, steps]: [EpisodeFacts[], number] = [[], 0];
  for (const each of facts) {
    if (batch.length > 0 && (steps + each.end.steps > STEPS_AT_ONCE || batch.length >= SESSIONS_AT_ONCE)) {
      yield batch;
      [batch, steps] = [[], 0];
    }
    batch.push(each);
    steps += each.end.steps;
  }
  if (batch.length > 0) yield batch;
}

/** An episode with what its steps showed, as the agent saw it. */
export async function withTexts(blobs: Blobs, episode: Episode): Promise<Episode> {
  const steps: EpisodeStep[] = [];
  for (const step of episode.steps) steps.push(await withText(blobs, step));
  return { ...episode, steps };
}

async function withText(blobs: Blobs, step: EpisodeStep): Promise<EpisodeStep> {
  const { observation } = step;
  const texts: string[] = observation.text === '' ? [] : [observation.text];
  for (const { sha256 } of observation.outputs) {
    const digest = digestSchema.safeParse(sha256);
    if (digest.success) texts.push(shownText(await blobs.get(digest.data)).text);
  }
  return { ...step, observation: { ...observation, text: texts.join('\n') } };
}
