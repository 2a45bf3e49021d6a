import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { digestOfJson } from '../../src/platform/base/digest.ts';
import { verifyRecord, verifyRecords } from '../../src/stages/evidence/verify-evidence.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { apiForFile, code, file } from '../support/http.ts';
import { scratchFolder } from '../support/test-service.ts';
import { RIGHT, WRONG, writeTinyTask } from '../support/tiny-task.ts';

const { api, newInstance, post, settled } = apiForFile();

async function verdictOn(source: string): Promise<{ verdictId: string; submissionId: string }> {
  const { body } = await post('/v1/submissions', { instance_id: await newInstance(), files: [file(source)] });
  const reward = (await settled(body.submission_id)).body.items[0];
  return { verdictId: reward.verdict_id, submissionId: body.submission_id };
}

const rows = async (table: string) =>
  Number((await api().service.parts.database.query(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n);

let right: Awaited<ReturnType<typeof verdictOn>>;
let wrong: Awaited<ReturnType<typeof verdictOn>>;
beforeAll(async () => {
  right = await verdictOn(RIGHT);
  wrong = await verdictOn(WRONG);
});

describe('the evidence of a verdict', () => {
  const evidence = (id: string, role: 'trainer' | 'harness' | 'reviewer' | 'admin' = 'trainer') =>
    api().call(role, { url: `/v1/verdicts/${id}/evidence` });

  test('is a record that verifies offline, and says what the verdict says', async () => {
    const { status, body } = await evidence(right.verdictId);
    expect(status).toBe(200);
    expect(verifyRecord(body)).toMatchObject({ signedBy: api().service.parts.sealer.key.keyId, failures: [] });
    const verdict = (await api().call('trainer', { url: `/v1/verdicts/${right.verdictId}` })).body;
    expect(body.content.verdict).toMatchObject({
      id: right.verdictId,
      outcome: 'passed',
      digest: verdict.digests.verdict,
    });
    expect(body.content).toMatchObject({
      submission: { id: right.submissionId },
      artifact: { stored: verdict.digests.artifact, graded: verdict.digests.artifact, files: 1, bytes: RIGHT.length },
      ...{ grade: { digest: verdict.digests.grade }, screening: verdict.digests.screening },
      inputs: { snapshot: { name: 'host', pinned: false }, grader: { name: 'function' } },
      service: { name: 'proctor', driver: api().service.parts.driver.name },
    });
    expect(Object.keys(body.content.grade.phases)).toContain('runMs');
    const sha256 = createHash('sha256').update(RIGHT).digest('hex');
    expect(body.content.artifact.manifest.files).toEqual([
      { path: 'double.py', mode: 0o644, size: RIGHT.length, blob: `sha256:${sha256}` },
    ]);
  });

  test('follows the evidence of the verdict before', async () => {
    const [first, second] = [(await evidence(right.verdictId)).body, (await evidence(wrong.verdictId)).body];
    expect(verifyRecords([first, second]).flatMap(({ failures }) => failures)).toEqual([]);
    expect(second.content).toMatchObject({ position: 2, previous: first.digest });
  });

  test('is for whoever may see the verdict, and tells no secret to them', async () => {
    for (const role of ['trainer', 'harness', 'reviewer', 'admin'] as const) {
      const reply = await evidence(wrong.verdictId, role);
      expect([role, reply.status]).toEqual([role, 200]);
      for (const secret of ['"seed"', '"cases"', '"signals"', 'PRIVATE']) expect(reply.text).not.toContain(secret);
    }
    expect(code(await api().call(null, { url: `/v1/verdicts/${right.verdictId}/evidence` }))).toEqual([
      401,
      'unauthenticated',
    ]);
  });

  test('of a verdict that is not there is 404, of what is no id too', async () => {
    for (const id of ['ver_x', right.verdictId.replace(/.{4}$/, '0000'), encodeURIComponent("' OR 1=1 --")]) {
      expect(code(await evidence(id))).toEqual([404, 'not-found']);
    }
    expect(code(await evidence('%00'))).toEqual([400, 'bad-request']);
  });

  test('cannot be changed or removed in the database, and what was changed there all the same is withheld', async () => {
    const { database } = api().service.parts;
    for (const statement of ["UPDATE evidence SET digest = 'x'", 'DELETE FROM evidence', 'TRUNCATE evidence']) {
      await expect(database.query(statement)).rejects.toThrow(/appended, never changed/);
    }
    const third = await verdictOn(`${RIGHT}# third\n`);
    await database.query('ALTER TABLE evidence DISABLE TRIGGER evidence_stays');
    await database.query(
      `UPDATE evidence SET record = jsonb_set(record, '{content,verdict,outcome}', '"failed"') WHERE verdict_id = $1`,
      [third.verdictId],
    );
    await database.query('ALTER TABLE evidence ENABLE TRIGGER evidence_stays');
    expect(code(await evidence(third.verdictId))).toEqual([500, 'digest-mismatch']);
  });
});

describe('grading again', () => {
  const regrade = (id: string, role: 'trainer' | 'harness' | 'reviewer' | 'admin' = 'harness') =>
    api().call(role, { method: 'POST', url: `/v1/verdicts/${id}/regrade` });

  test.each(['right', 'wrong'] as const)(
    'gives the same for %s work, with the same digests, and stores nothing',
    async (which) => {
      const { verdictId } = which === 'right' ? right : wrong;
      const before = [await rows('grades'), await rows('verdicts'), await rows('evidence')];
      const { status, body } = await regrade(verdictId);
      expect(status).toBe(200);
      expect(body).toMatchObject({ verdict_id: verdictId, same: true, differences: [] });
      expect(body.again).toEqual(body.first);
      expect(body.first).toMatchObject({ outcome: which === 'right' ? 'passed' : 'failed' });
      expect(Object.values(body.first.digests)).toEqual(Array(7).fill(expect.stringMatching(/^sha256:/)));
      expect([await rows('grades'), await rows('verdicts'), await rows('evidence')]).toEqual(before);
    },
  );

  test('with another grader is told as a difference of inputs, although the result is the same', async () => {
    const { tools } = api().service.parts;
    const { digest } = tools;
    const changed = `sha256:${'0'.repeat(64)}` as const;
    Object.assign(tools, { digest: changed });
    const { body } = await regrade(right.verdictId);
    Object.assign(tools, { digest });
    expect(body).toMatchObject({
      same: false,
      differences: [{ field: 'inputs.grader.digest', first: digest, again: changed }],
    });
    expect([body.first.outcome, body.again.outcome]).toEqual(['passed', 'passed']);
    expect(body.first.digests.verdict).not.toBe(body.again.digests.verdict);
  });

  test('with another result names the cases to reviewers only', async () => {
    const unstable = 'import os\ndef double(x):\n    return 2 * x if os.path.exists("marker") else 0\n';
    const { verdictId, submissionId } = await verdictOn(unstable);
    const { database, blobs } = api().service.parts;
    const blob = await blobs.put(Buffer.from(RIGHT));
    const manifest = `jsonb_set(jsonb_set(manifest, '{files,0,blob}', to_jsonb($2::text)), '{files,0,size}', '${RIGHT.length}')`;
    await database.query(`UPDATE artifacts SET manifest = ${manifest} WHERE id = $1`, [submissionId, blob]);
    expect(code(await regrade(verdictId))).toEqual([500, 'digest-mismatch']);
    const [row] = await database.query('SELECT manifest FROM artifacts WHERE id = $1', [submissionId]);
    await database.query('UPDATE artifacts SET digest = $2 WHERE id = $1', [submissionId, digestOfJson(row?.manifest)]);
    const fields = async (role: 'harness' | 'reviewer') =>
      (await regrade(verdictId, role)).body.differences.map(({ field }: { field: string }) => field);
    expect(await fields('reviewer')).toEqual(
      expect.arrayContaining(['inputs.artifact', 'cases.0.status', 'verdict.outcome']),
    );
    const told = await fields('harness');
    expect(told).toEqual(expect.arrayContaining(['inputs.artifact', 'cases', 'verdict.outcome']));
    expect(told.join()).not.toContain('cases.0');
  });

  test('is for who hands in and who reviews, not for trainers', async () => {
    expect(code(await regrade(right.verdictId, 'trainer'))).toEqual([403, 'forbidden']);
    for (const role of ['reviewer', 'admin'] as const) expect((await regrade(right.verdictId, role)).status).toBe(200);
  });

  test('of a verdict that is not there is 404', async () => {
    expect(code(await regrade('ver_x'))).toEqual([404, 'not-found']);
  });

  test('many at once are all answered', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => regrade(right.verdictId)));
    expect(replies.map(({ body }) => body.same)).toEqual(Array(12).fill(true));
  });

  test('of a task that cannot grade says so, and that is the same the second time', async () => {
    const scratch = await scratchFolder();
    const oracle = 'def cases(p, random):\n    raise RuntimeError("no")\n\ndef expected(p, c):\n    return 1\n';
    const task = await loadTask(await writeTinyTask(scratch.path, { 'tests/oracle.py': oracle }));
    await saveTask(api().service.parts, task);
    const instance = await post('/v1/instances', { task: task.digest });
    const sent = await post('/v1/submissions', { instance_id: instance.body.instance_id, files: [file(RIGHT)] });
    const { verdict_id: verdictId } = (await settled(sent.body.submission_id)).body.items[0];
    const { body } = await regrade(verdictId);
    expect(body).toMatchObject({ same: true, first: { outcome: 'ungraded', digests: { task: null, grader: null } } });
    const record = (await api().call('trainer', { url: `/v1/verdicts/${verdictId}/evidence` })).body;
    expect(record.content).toMatchObject({ verdict: { outcome: 'ungraded', fault: 'task' }, inputs: null });
    expect(verifyRecord(record).failures).toEqual([]);
    await scratch.dispose();
  });
});
