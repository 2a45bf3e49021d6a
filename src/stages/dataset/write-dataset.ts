import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { type Candidate, candidateOf } from './candidate.ts';
import { chooseEpisodes } from './choose-episodes.ts';
import { type Datasheet, DISTRIBUTIONS, makeDatasheet } from './datasheet.ts';
import { datasheetPage } from './datasheet-page.ts';
import { drawBars } from './draw-bars.ts';
import type { EpisodeSource } from './episode-source.ts';
import type { Recipe } from './recipe.ts';
import { openRecords } from './write-records.ts';

/** Told how far an export is. */
export type ExportProgress = (phase: 'reading' | 'writing', done: number) => void;

/** What an export made. */
export interface BuiltDataset {
  readonly folder: string;
  readonly sheet: Datasheet;
}

/**
 * Writes a data set into a folder that is not there yet, or is empty. It is made beside it, under a name of its own, and renamed when it is whole: an export that
 * was killed leaves nothing that looks finished. `conflict` where something is there, `would-leak` with the place where something stands that
 * must not leave.
 */
export async function writeDataset(
  source: EpisodeSource,
  { recipe, out }: { readonly recipe: Recipe; readonly out: string },
  onProgress: ExportProgress = () => undefined,
): Promise<BuiltDataset> {
  const folder = resolve(out);
  await refuseTaken(folder);
  const part = `${folder}.part-${newId('att').slice(-20)}`;
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(part);
  try {
    const candidates = await readCandidates(source, recipe, onProgress);
    const choice = chooseEpisodes(candidates, recipe);
    const records = await openRecords(part, recipe);
    const { taken, leftOut } = await records.write(source, choice, (done) => onProgress('writing', done));
    const files = await records.finish();
    const lookedAt = candidates.length;
    const sheet = makeDatasheet({ recipe, choice, lookedAt, taken, leftOut, files });
    await writeSheet(part, sheet);
    await rename(part, folder);
    return { folder, sheet };
  } catch (thrown) {
    await rm(part, { recursive: true, force: true });
    throw thrown;
  }
}

async function refuseTaken(folder: string): Promise<void> {
  const names = await readdir(folder).catch((thrown) => {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
  });
  if (names.length === 0) return;
  throw new ProctorError('conflict', `${folder} is not empty: a data set is never written over another`);
}

async function readCandidates(
  source: EpisodeSource,
  recipe: Recipe,
  onProgress: ExportProgress,
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  const wantsEvaluated = recipe.from.phase !== 'train';
  for await (const episode of source.all()) {
    candidates.push(candidateOf(episode, wantsEvaluated));
    onProgress('reading', candidates.length);
  }
  return candidates;
}

async function writeSheet(part: string, sheet: Datasheet): Promise<void> {
  await mkdir(join(part, 'figures'));
  for (const name of DISTRIBUTIONS) {
    await writeFile(join(part, 'figures', `${name}.svg`), drawBars(`Episodes by ${name}`, sheet.distributions[name]));
  }
  await writeFile(join(part, 'README.md'), datasheetPage(sheet));
  await writeFile(join(part, 'datasheet.json'), `${JSON.stringify(sheet, null, 2)}\n`);
}
