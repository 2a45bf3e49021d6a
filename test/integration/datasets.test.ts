import { afterAll, beforeAll, expect, test } from 'vitest';
import { awaitReward } from '../../src/pipeline/await-reward.ts';
import { listEpisodes, loadEpisode } from '../../src/pipeline/load-episode.ts';
import type { EpisodeFacts } from '../../src/stages/dataset/episode.ts';
import type { EpisodeQuery } from '../../src/stages/dataset/episode-store.ts';
import { labelEpisode } from '../../src/stages/dataset/label-episode.ts';
import { findLatestGrade, saveGrade } from '../../src/stages/grade/grade-store.ts';
import { retireSeed } from '../../src/stages/instance/instance-store.ts';
import { NO_LABELS, type RunLabels } from '../../src/stages/run/run.ts';
import { findLatestVerdict, saveVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { hostOf, newInstance, sh } from '../support/session-kit.ts';
import { scratchFolder, testService } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

const opened = {} as Awaited<ReturnType<typeof testService>>;
const task = {} as Awaited<ReturnType<typeof scratchFolder>>;
/** Ids of sessions by what they are. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  Object.assign(opened, await testService({}, { sessions: true }));
  Object.assign(task, await scratchFolder());
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
