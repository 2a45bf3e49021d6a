import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { buildDataset } from '../../src/pipeline/build-dataset.ts';
import { compareStoredRuns } from '../../src/pipeline/compare-runs.ts';
import { addCosts } from '../../src/pipeline/cost.ts';
import { listEpisodes, loadEpisode } from '../../src/pipeline/load-episode.ts';
import type { EpisodeFacts } from '../../src/stages/dataset/episode.ts';
import type { EpisodeQuery } from '../../src/stages/dataset/episode-store.ts';
import { labelEpisode } from '../../src/stages/dataset/label-episode.ts';
import { parseRecipe } from '../../src/stages/dataset/recipe.ts';
import { findLatestGrade, saveGrade } from '../../src/stages/grade/grade-store.ts';
import { retireSeed } from '../../src/stages/instance/instance-store.ts';
import { NO_LABELS, type RunLabels } from '../../src/stages/run/run.ts';
import { findLatestVerdict, saveVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { hostOf, newInstance, sh } from '../support/session-kit.ts';
import { scratchFolder, testService } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

const opened = {} as Awaited<ReturnType<typeof testService>>;
const task = {} as Awaited<ReturnType<typeof scratchFolder>>;
const sets = {} as Awaited<ReturnType<typeof scratchFolder>>;
/** Ids of sessions by what they are. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  Object.assign(opened, await testService({}, { sessions: true }));
  Object.assign(task, await scratchFolder());
  Object.assign(sets, await scratchFolder());
  await writeTinyTask(task.path);
  const write = (code: string) => `cat > double.py <<'END'\n${code}END`;
  ids.right = await session(['cat double.py', write(RIGHT)], { seed: 'one' });
  ids.wrong = await session(['ls', write(WRONG)], { seed: 'one' });
  ids.reader = await session(['cat .config/*/*.ini', write(RIGHT)], { seed: 'two' });
  const steal = `printf 'open("%s")\n' "$(find .cache .local data var .build -type f 2> /dev/null)" > double.py`;
  ids.cheat = await session([steal], { seed: 'three' });
  ids.evaluated = await session([write(RIGHT)], { seed: 'four', labels: { phase: 'eval' } });
});
afterAll(async () => {
  await opened.dispose();
  await task.dispose();
  await sets.dispose();
});

async function session(
  commands: readonly string[],
  { seed, labels = {} }: { readonly seed: string; readonly labels?: Partial<RunLabels> },
): Promise<string> {
  const { service } = opened;
  const instanceId = await newInstance(service, task.path, seed);
  const place = { ...NO_LABELS, run: 'run-1', policyVersion: 'w1', group: seed, ...labels };
  const { id } = await hostOf(service).open({ instanceId, idempotencyKey: null, labels: place });
  for (const command of commands) await sh(service, id, command);
  const { artifactId } = await hostOf(service).finish(id);
  await awaitReward(service.parts.database, artifactId ?? '');
  return id;
}

async function listed(query: Omit<EpisodeQuery, 'limit'> & { limit?: number }): Promise<readonly EpisodeFacts[]> {
  const found: EpisodeFacts[] = [];
  for await (const facts of listEpisodes(opened.service.parts, query)) found.push(facts);
  return found;
}

test('an episode joins all that is known of a session under its id, and says nothing of the seed', async () => {
  const episode = await loadEpisode(opened.service.parts, ids.right ?? '');
  expect(episode).toMatchObject({
    ...{ id: ids.right, origin: 'workspace', task: { name: 'test/double' }, isEvaluated: false, isRetired: false },
    labels: { run: 'run-1', policyVersion: 'w1', group: 'one' },
    verdict: { body: { outcome: 'passed', integrity: 'clean' } },
    decision: { body: { action: 'accept' } },
    reward: { body: { reward: 1 } },
    profile: { reason: expect.any(String) },
  });
  expect(episode.steps).toMatchObject([
    { step: 1, action: { parameters: { command: 'cat double.py' } }, observation: { status: 'ok', exitCode: 0 } },
    { step: 2 },
  ]);
  expect(episode.steps[0]?.observation.text).toContain('raise NotImplementedError');
  expect(JSON.stringify(episode)).not.toMatch(/seed|secret/i);
  expect(labelEpisode(episode)).toMatchObject({ outcome: 'passed', completion: 1, validity: 1, isAccused: false });
  await expect(loadEpisode(opened.service.parts, 'sess_none')).rejects.toMatchObject({ code: 'not-found' });
});

test('episodes are listed by what is asked for, page by page, in the order of their ids', async () => {
  const all = await listed({});
  expect(all.map(({ id }) => id)).toEqual(Object.values(ids));
  expect((await listed({ runs: ['run-1'], phase: 'eval' })).map(({ id }) => id)).toEqual([ids.evaluated]);
  expect(await listed({ runs: ['other'] })).toEqual([]);
  expect(await listed({ tasks: ['test/double'], until: new Date(0) })).toEqual([]);
  expect((await listed({ after: ids.right, limit: 1 })).map(({ id }) => id)).toEqual([ids.wrong]);
  expect(all.find(({ id }) => id === ids.cheat)).toMatchObject({ verdict: { body: { signals: expect.any(Array) } } });
});

test('a seed that is known outside is told, and the newest verdict counts', async () => {
  const { database } = opened.service.parts;
  const [before] = await listed({ ids: [ids.wrong ?? ''] });
  const artifactId = before?.artifactId ?? '';
  const [grade, verdict] = [await findLatestGrade(database, artifactId), await findLatestVerdict(database, artifactId)];
  if (grade === null || verdict === null) throw new Error('not judged');
  const again = await saveGrade(database, { artifactId, round: 2, body: grade.body });
  const body = { ...verdict.body, integrity: 'violated' } as const;
  const amended = await saveVerdict(database, { artifactId, gradeId: again.id, body });
  await retireSeed(database, { task: 'test/double', seed: 'one', reason: 'published' });
  expect(await listed({ ids: [ids.wrong ?? ''] })).toMatchObject([
    { verdict: { id: amended.id, body: { integrity: 'violated' } }, decision: null, reward: null, isRetired: true },
  ]);
  await database.query(`UPDATE verdicts SET body = jsonb_set(body, '{score}', '1') WHERE id = $1`, [amended.id]);
  await expect(listed({ ids: [ids.wrong ?? ''] })).rejects.toMatchObject({ code: 'digest-mismatch' });
  await database.query('DELETE FROM verdicts WHERE id = $1', [amended.id]);
  await database.query('DELETE FROM retired_seeds');
});

const RECIPE = 'name: first\nseed: 7\nheld_out: 0\nfrom: {runs: [run-1]}\nkeep:\n  near_duplicates: true\n';

async function exported(more: string, name: string) {
  const out = join(sets.path, name);
  const built = await buildDataset(opened.service.parts, { recipe: parseRecipe(RECIPE + more), out });
  const records = async (file: string) =>
    (await readFile(join(out, 'train', `${file}.jsonl`), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { ...built, out, records };
}

test('a recipe becomes files in every format, without cheats, evaluated instances and secrets, the same bytes each time', async () => {
  const [one, other] = [
    await exported('on_secret: leave-out\n', 'one'),
    await exported('on_secret: leave-out\n', 'other'),
  ];
  expect(one.sheet).toMatchObject({
    episodes: { looked_at: 4, taken: 2, negatives: 0 },
    left_out: { accused: 1, 'secret-inside': 1 },
    contamination: { prompt_groups_on_both_sides: 0 },
  });
  expect(other.sheet.digest).toBe(one.sheet.digest);
  for (const file of [
    'train/openai.jsonl',
    'train/preferences.jsonl',
    'README.md',
    'datasheet.json',
    'figures/task.svg',
  ]) {
    expect(await readFile(join(other.out, file))).toEqual(await readFile(join(one.out, file)));
  }
  const [chat] = await one.records('openai');
  expect(chat).toMatchObject({
    messages: [
      { role: 'user', content: expect.stringContaining('Write double(x)') },
      { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'shell_run' } }] },
      { role: 'tool', tool_call_id: 'call_1' },
      ...[{}, {}],
    ],
    tools: [{ type: 'function', function: { name: 'shell_run', parameters: { type: 'object' } } }],
    metadata: { task: 'test/double', label: 'positive', policy: 'w1' },
  });
  expect(await one.records('sft')).toMatchObject([{ metadata: { episode: ids.right } }]);
  expect(await one.records('preferences')).toMatchObject([
    { metadata: { chosen: { episode: ids.right }, rejected: { episode: ids.wrong } } },
  ]);
  expect(await one.records('rl-prompts')).toMatchObject([{ metadata: { difficulty: { passed: 2, of: 4 } } }]);
  expect((await one.records('atif'))[0]).toMatchObject({
    schema_version: 'ATIF-v1.7',
    steps: [{ step_id: 1 }, {}, {}],
  });
});

test('negatives are taken where they are asked for, and are labelled', async () => {
  const { records, sheet } = await exported('  negatives: true\non_secret: leave-out\n', 'negatives');
  expect(sheet.episodes.negatives).toBe(1);
  const labels = (await records('openai')).map(({ metadata }) => [metadata.episode, metadata.label]);
  expect(Object.fromEntries(labels)[ids.cheat ?? '']).toBe('negative');
});

test('an export in which a decoy’s value stands fails with its place, never its value, and leaves nothing', async () => {
  const failed = await exported('', 'fails').catch((thrown) => thrown);
  expect(failed).toMatchObject({ code: 'would-leak', details: { episode: ids.reader, step: 1, kind: 'decoy' } });
  expect(failed.message).not.toMatch(/token|key_/);
  expect((await readdir(sets.path)).filter((name) => name.startsWith('fails'))).toEqual([]);
  await expect(exported('', 'one')).rejects.toMatchObject({ code: 'conflict' });
});

test('runs are compared and costs added up from the same record', async () => {
  const { database } = opened.service.parts;
  const compared = await compareStoredRuns({ database }, 'run-1', 'run-1');
  expect(compared.all).toMatchObject({ instances: 4, difference: 0 });
  expect(compared.causes['cheat-technique']).toEqual({ one: 1, other: 1 });
  await expect(compareStoredRuns({ database }, 'run-1', 'none')).rejects.toMatchObject({ code: 'not-found' });
  const ledger = await addCosts({ database }, 'policy', { runs: ['run-1'] });
  expect(ledger.rows()).toMatchObject([{ name: 'w1', sessions: 5, steps: 8, untold: 5 }]);
  expect(ledger.total().actingSeconds).toBeGreaterThan(0);
});
