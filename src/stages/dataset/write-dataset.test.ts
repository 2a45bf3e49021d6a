import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { episodeOf, type GivenEpisode } from '../../../test/support/episodes.ts';
import { scratchFolder } from '../../../test/support/test-service.ts';
import { drawBars } from './draw-bars.ts';
import type { Episode } from './episode.ts';
import type { EpisodeSource } from './episode-source.ts';
import type { Guard } from './guard.ts';
import { parseRecipe } from './recipe.ts';
import { writeDataset } from './write-dataset.ts';

const scratch = {} as Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => void Object.assign(scratch, await scratchFolder()));
afterAll(() => scratch.dispose());

const QUIET: Guard = { inEpisode: () => null, inLine: () => null };

function sourceOf(episodes: readonly Episode[], guard: Guard = QUIET): EpisodeSource {
  return {
    async *all() {
      yield* episodes;
    },
    async *some(ids) {
      for (const id of ids) yield* episodes.filter((each) => each.id === id);
    },
    given: async ({ instance }) => ({ instruction: `Do ${instance.digest}.`, guard }),
  };
}

const episodes = (count: number, more: (n: number) => Partial<GivenEpisode> = () => ({})) =>
  Array.from({ length: count }, (_, n) =>
    episodeOf({
      n: n + 1,
      prompt: `p${n % 5}`,
      commands: [`make part${n * 31}`, `test the ${n * 77} of it`],
      ...more(n),
    }),
  );
const recipe = (more = '') => parseRecipe(`name: t\nseed: 1\nheld_out: 0.4\n${more}`);
const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

test('records of both sides add up, and no prompt is on both', async () => {
  const out = join(scratch.path, 'sides');
  const { sheet } = await writeDataset(sourceOf(episodes(40)), { recipe: recipe(), out });
  const [train, held] = [await linesOf(join(out, 'train/openai.jsonl')), await linesOf(join(out, 'test/openai.jsonl'))];
  expect(train.length + held.length).toBe(sheet.episodes.taken);
  const groups = (lines: readonly string[]) => new Set(lines.map((line) => JSON.parse(line).metadata.prompt_group));
  expect([...groups(train)].filter((group) => groups(held).has(group))).toEqual([]);
  expect(sheet.files['train/openai.jsonl']).toMatchObject({ records: train.length });
});

test('Parquet has the same records, with columns to filter by, and is the same each time', async () => {
  const wanted = recipe('files: [jsonl, parquet]\nformats: [openai, rl-prompts]');
  const [out, again] = [join(scratch.path, 'parquet'), join(scratch.path, 'parquet-again')];
  const { sheet } = await writeDataset(sourceOf(episodes(550)), { recipe: wanted, out });
  const file = await asyncBufferFromFile(join(out, 'train/openai.parquet'));
  const rows = await parquetReadObjects({ file });
  expect(rows.map(({ record }) => record)).toEqual(await linesOf(join(out, 'train/openai.jsonl')));
  expect(rows[0]).toMatchObject({ outcome: 'passed', label: 'positive', technique: null, steps: 2 });
  const other = await writeDataset(sourceOf(episodes(550)), { recipe: wanted, out: again });
  expect(other.sheet).toEqual(sheet);
});

test('an episode that was judged anew while it was read is not written', async () => {
  const before = episodes(3);
  const source = sourceOf(before);
  const after = sourceOf(episodes(3, (n) => (n === 1 ? { integrity: 'violated' } : {})));
  const out = join(scratch.path, 'changed');
  const { sheet } = await writeDataset({ ...source, some: after.some }, { recipe: recipe(), out });
  expect(sheet).toMatchObject({ episodes: { taken: 2 }, left_out: { changed: 1 } });
});

test('what fails half-way leaves nothing, whoever fails', async () => {
  const leaking: Guard = { ...QUIET, inEpisode: ({ id }) => (id.includes('7') ? { step: 1, kind: 'seed' } : null) };
  const line: Guard = { ...QUIET, inLine: () => 'seed' };
  const broken = { ...sourceOf(episodes(9)), given: () => Promise.reject(new Error('no instance')) };
  for (const source of [sourceOf(episodes(9), leaking), sourceOf(episodes(9), line), broken]) {
    await expect(writeDataset(source, { recipe: recipe(), out: join(scratch.path, 'none') })).rejects.toThrow();
  }
  expect((await readdir(scratch.path)).filter((name) => name.startsWith('none'))).toEqual([]);
  const left = await writeDataset(sourceOf(episodes(9), leaking), {
    ...{ recipe: recipe('on_secret: leave-out'), out: join(scratch.path, 'left') },
  });
  expect(left.sheet.left_out).toMatchObject({ 'secret-inside': 1 });
});

test('nothing to take gives empty files and a sheet that says so', async () => {
  const out = join(scratch.path, 'empty');
  const { sheet } = await writeDataset(sourceOf([]), { recipe: recipe('files: [jsonl, parquet]'), out });
  expect(sheet.episodes).toEqual({ looked_at: 0, taken: 0, negatives: 0 });
  expect(await readFile(join(out, 'README.md'), 'utf8')).toContain('0 taken of 0 looked at');
});

test('names that callers gave cannot break out of the pictures and the page', async () => {
  expect(drawBars('t', [{ name: '</text><script>x</script>', count: 1 }])).not.toContain('<script>');
  const given = episodes(2, () => ({ labels: { policyVersion: '|\n# x <img src=y>' } }));
  const out = join(scratch.path, 'names');
  await writeDataset(sourceOf(given), { recipe: recipe(), out });
  const page = await readFile(join(out, 'README.md'), 'utf8');
  expect(page).not.toMatch(/^# x/m);
  expect(page).toContain('\\<img src=y\\>');
});
