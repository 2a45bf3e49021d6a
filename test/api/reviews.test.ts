import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { findCasesOf } from '../../src/stages/review/review-store.ts';
import { findLatestVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { apiForFile, code, file } from '../support/http.ts';
import { RIGHT } from '../support/tiny-task.ts';

// every decision asks for a look
const PROCTOR_POLICY_DIR = fileURLToPath(new URL('../support/policies-reviewed', import.meta.url));

const { api, newInstance, post, settled } = apiForFile({ PROCTOR_POLICY_DIR });
const database = () => api().service.parts.database;
const get = (url: string, role: 'reviewer' | 'admin' | 'trainer' = 'reviewer') => api().call(role, { url });
const act = (path: string, body: object = {}, role: 'reviewer' | 'admin' = 'reviewer') =>
  post(`/v1/reviews/${path}`, body, role);

/** A hand-in that a sandbox graded, with the case that its decision asked for. */
async function graded(source: string) {
  const { body } = await post('/v1/submissions', { instance_id: await newInstance(), files: [file(source)] });
  const submissionId: string = body.submission_id;
  const reward = (await settled(submissionId)).body.items[0];
  const [found] = await findCasesOf(database(), submissionId);
  if (found === undefined) throw new Error('no case was opened');
  return { submissionId, verdictId: reward.verdict_id as string, reward, caseId: found.id };
}

describe('a graded hand-in that a decision asks people to look at', () => {
  let right: Awaited<ReturnType<typeof graded>>;
  beforeAll(async () => {
    right = await graded(RIGHT);
  });

  test('is in the queue with its reason, and has its reward all the same', async () => {
    expect(right.reward).toMatchObject({ status: 'scored', reward: 1 });
    const { body } = await get('/v1/reviews?task=test%2Fdouble');
    expect(body.counts.open).toBeGreaterThan(0);
    const listed = body.reviews.find((review: { review_id: string }) => review.review_id === right.caseId);
    expect(listed).toMatchObject({
      submission_id: right.submissionId,
      cause: 'always',
      ruling: null,
      claimed_by: null,
    });
    expect(listed.why).toContain('passed');
    for (const filter of ['task=other', 'run=none', 'cause=control', 'ruling=cheat', 'group=x', 'mine=true']) {
      expect([filter, (await get(`/v1/reviews?${filter}`)).body.reviews]).toEqual([filter, []]);
    }
  });

  test('is claimed, opened, ruled on and given back as it was; trainers get what stands', async () => {
    const { caseId, submissionId, verdictId } = right;
    expect((await act(`${caseId}/claim`)).body.review.claimed_by).toBe('test reviewer');
    expect(code(await act(`${caseId}/claim`, {}, 'admin'))).toEqual([409, 'conflict']);
    expect((await get('/v1/reviews?mine=true')).body.reviews).toHaveLength(1);
    expect((await get(`/v1/reviews/${caseId}`)).body).toMatchObject({ rulings: [], group: { opened: 1, needed: 1 } });

    const cheat = { ruling: 'cheat', technique: 'hardcode-visible-cases', note: '<b>', idempotency_key: 'once' };
    const ruled = await act(`${caseId}/ruling`, cheat);
    expect([ruled.status, ruled.body.review.ruling, ruled.body.ruling.note]).toEqual([200, 'cheat', '<b>']);
    const again = await act(`${caseId}/ruling`, cheat);
    expect([again.status, again.body.ruling, again.body.amended]).toEqual([200, ruled.body.ruling, null]);
    expect((await settled(submissionId)).body.items[0]).toMatchObject({
      ...{ status: 'scored', reward: 0, integrity: 'violated', verdict_id: ruled.body.amended.verdict_id },
    });
    const amended = (await get(`/v1/verdicts/${ruled.body.amended.verdict_id}`, 'trainer')).body;
    expect(amended).toMatchObject({ amends: verdictId, ruling_id: ruled.body.ruling.ruling_id, integrity: 'violated' });
    expect((await get(`/v1/verdicts/${verdictId}`, 'trainer')).body).toMatchObject({
      ...{ amends: null, ruling_id: null, integrity: 'clean' },
    });

    expect(code(await act(`${caseId}/undo`, {}, 'admin'))).toEqual([403, 'forbidden']);
    expect((await act(`${caseId}/undo`, { note: 'the wrong one' })).body.review).toMatchObject({ ruling: null });
    expect((await settled(submissionId)).body.items[0]).toMatchObject({ reward: 1, integrity: 'clean' });
    expect((await get(`/v1/reviews/${caseId}`)).body.rulings).toHaveLength(2);
    const { lines } = (await get(`/v1/audit-log?subject=${caseId}`)).body;
    const actions = lines.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['undone', 'ruled', 'opened', 'claimed', 'case-opened']);
  });

  test('is graded again as it was judged, whatever was ruled since', async () => {
    const latest = await findLatestVerdict(database(), right.submissionId);
    expect(latest?.amends).not.toBeNull();
    const { body } = await post(`/v1/verdicts/${latest?.id}/regrade`, {}, 'harness');
    expect(body).toMatchObject({ verdict_id: latest?.id, same: true });
  });

  test('can be appealed by who was paid by it, and another reviewer decides', async () => {
    const { caseId, submissionId, verdictId } = await graded(`${RIGHT}# appealed\n`);
    await act(`${caseId}/ruling`, { ruling: 'cheat', technique: 'memorized-answer' });
    const appeal = (role: 'trainer' | 'harness') => post(`/v1/verdicts/${verdictId}/appeal`, { why: 'no' }, role);
    const { status, body } = await appeal('trainer');
    expect(status).toBe(201);
    expect((await appeal('harness')).body).toEqual(body);
    expect(code(await act(`${body.review_id}/ruling`, { ruling: 'honest' }))).toEqual([403, 'forbidden']);
    expect((await act(`${body.review_id}/ruling`, { ruling: 'honest' }, 'admin')).status).toBe(200);
    expect((await settled(submissionId)).body.items[0]).toMatchObject({ reward: 1, train_weight: 1 });
  });

  test('is ruled on with all that are alike once enough of them were opened', async () => {
    const cases: string[] = [];
    for (const name of ['one', 'two', 'three']) cases.push((await graded(`${RIGHT}# bulk ${name}\n`)).caseId);
    const { group, waiting } = (await get(`/v1/reviews/${cases[0]}`, 'admin')).body.review;
    const body = { group, ruling: 'environment-fault' };
    const refused = await post('/v1/reviews/group-ruling', body, 'admin');
    expect(code(refused)).toEqual([409, 'conflict']);
    expect(refused.body.error.details).toEqual({ opened: 1, needed: Math.ceil(waiting / 2) });
    for (const id of cases) await get(`/v1/reviews/${id}`, 'admin');
    const { reports } = (await post('/v1/reviews/group-ruling', body, 'admin')).body;
    expect(reports.map(({ problem }: { problem: unknown }) => problem)).toEqual(Array(waiting).fill(null));
  });

  test('is counted in what the dashboard shows', async () => {
    const { body } = await get('/v1/reviews/dashboard?task=test%2Fdouble&days=7');
    expect(body.tasks).toEqual([expect.objectContaining({ task: 'test/double' })]);
    expect(body.tasks[0].faults).toBeGreaterThan(2);
    expect(body.days).toEqual([expect.objectContaining({ rewards: 5, meanWeight: 1, maskedShare: 0 })]);
    expect((await get('/v1/reviews/dashboard?run=none')).body.days).toEqual([]);
  });
});

describe('what is refused', () => {
  test('a ruling without its technique, with an unknown one, or with one where none belongs', async () => {
    for (const said of [
      { ruling: 'cheat' },
      { ruling: 'cheat', technique: 'no-such' },
      { ruling: 'honest', technique: 'hardcode-visible-cases' },
      { ruling: 'guilty' },
      { ruling: 'honest', note: 'x'.repeat(5_000) },
    ]) {
      expect(code(await act('case_x/ruling', said))).toEqual([400, 'bad-request']);
    }
  });

  test('a case, a verdict or a group that is not there', async () => {
    expect(code(await get('/v1/reviews/case_x'))).toEqual([404, 'not-found']);
    for (const what of ['claim', 'release', 'undo'])
      expect(code(await act(`case_x/${what}`))).toEqual([404, 'not-found']);
    expect(code(await act('case_x/ruling', { ruling: 'honest' }))).toEqual([404, 'not-found']);
    expect(code(await post('/v1/verdicts/ver_x/appeal', { why: 'no' }))).toEqual([404, 'not-found']);
    const group = { group: 'none', ruling: 'honest' };
    expect(code(await post('/v1/reviews/group-ruling', group, 'reviewer'))).toEqual([404, 'not-found']);
  });

  test('what is no place in the queue, no day and no limit', async () => {
    for (const query of ['after=x', 'limit=0', 'limit=1000', 'cause=x', 'task=%00']) {
      expect(code(await get(`/v1/reviews?${query}`))).toEqual([400, 'bad-request']);
    }
    expect(code(await get('/v1/reviews/dashboard?days=1000'))).toEqual([400, 'bad-request']);
    expect(code(await get('/v1/audit-log?before=-1'))).toEqual([400, 'bad-request']);
  });

  test('reviews to trainers and harnesses', async () => {
    for (const url of ['/v1/reviews', '/v1/reviews/case_x', '/v1/reviews/dashboard', '/v1/audit-log']) {
      expect(code(await get(url, 'trainer'))).toEqual([403, 'forbidden']);
    }
    const ruling = { ruling: 'honest' };
    expect(code(await post('/v1/reviews/case_x/ruling', ruling, 'harness'))).toEqual([403, 'forbidden']);
  });
});

test('a reward whose case cannot be stored is not there either, and both come once that is mended', async () => {
  await database().query('ALTER TABLE review_cases ADD CONSTRAINT broken CHECK (false) NOT VALID');
  const { body } = await post('/v1/submissions', {
    ...{ instance_id: await newInstance(), files: [file(`${RIGHT}# cut off\n`)] },
  });
  const rows = async (table: string) =>
    (await database().query(`SELECT id FROM ${table} WHERE artifact_id = $1`, [body.submission_id])).length;
  const tries = () => database().query('SELECT 1 FROM attempts WHERE subject_id = $1', [body.submission_id]);
  await expect.poll(async () => (await tries()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect([await rows('verdicts'), await rows('rewards'), await rows('review_cases')]).toEqual([1, 0, 0]);
  await database().query('ALTER TABLE review_cases DROP CONSTRAINT broken');
  await expect.poll(() => rows('rewards'), { timeout: 20_000 }).toBe(1);
  expect(await rows('review_cases')).toBe(1);
});
