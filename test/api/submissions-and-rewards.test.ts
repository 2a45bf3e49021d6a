import { describe, expect, test } from 'vitest';
import { apiForFile, code, file } from '../support/http.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, newInstance, post, settled } = apiForFile();

describe('the way of a submission', () => {
  test('instance, hand-in, verdict and reward', async () => {
    const instance = await post('/v1/instances', { task: 'test/double' });
    expect(instance.status).toBe(201);
    expect(instance.body.files.map((entry: { path: string }) => entry.path)).toContain('double.py');
    expect(JSON.stringify(instance.body)).not.toContain('seed');
    const sent = await post('/v1/submissions', { instance_id: instance.body.instance_id, files: [file(RIGHT)] });
    expect([sent.status, sent.body.files]).toEqual([202, 1]);
    const reward = (await settled(sent.body.submission_id)).body.items[0];
    expect(reward).toMatchObject({
      id: 'x',
      status: 'scored',
      reward: 1,
      train_weight: 1,
      mask_sample: false,
      fault: 'none',
    });
    const verdict = await api().call('trainer', { url: `/v1/verdicts/${reward.verdict_id}` });
    expect(verdict.body).toMatchObject({ outcome: 'passed', integrity: 'clean', assurance: 'oracle', pinned: false });
    expect((await api().call('harness', { url: `/v1/submissions/${sent.body.submission_id}` })).body).toMatchObject({
      status: 'scored',
      verdict_id: reward.verdict_id,
    });
  });

  test('results by case are for reviewers: a trainer’s key is not told what to change', async () => {
    const sent = await post('/v1/submissions', { instance_id: await newInstance(), files: [file(WRONG)] });
    const reward = (await settled(sent.body.submission_id)).body.items[0];
    const url = `/v1/verdicts/${reward.verdict_id}`;
    expect((await api().call('trainer', { url })).body.evidence).toBeNull();
    expect((await api().call('reviewer', { url })).body.evidence.grade.cases).toHaveLength(5);
  });

  test('multipart hands in files by their names', async () => {
    const boundary = 'b0undary';
    const part = (head: string, body: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
    const payload = `${part('name="instance_id"', await newInstance())}${part('name="file"; filename="double.py"', RIGHT)}--${boundary}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const sent = await api().call('harness', { method: 'POST', url: '/v1/submissions', payload, headers });
    expect([sent.status, sent.body.files]).toEqual([202, 1]);
    expect((await settled(sent.body.submission_id)).body.items[0].reward).toBe(1);
  });

  test('the same idempotency key gives the same submission; other files under it are a conflict', async () => {
    const body = { instance_id: await newInstance(), idempotency_key: 'once', files: [file(WRONG)] };
    const first = await post('/v1/submissions', body);
    const second = await post('/v1/submissions', body);
    expect(second.body.submission_id).toBe(first.body.submission_id);
    expect(code(await post('/v1/submissions', { ...body, files: [file(RIGHT)] }))).toEqual([409, 'conflict']);
  });
});

describe('rewards for a batch', () => {
  test('same length, same order, same keys, and one bad item does not fail the others', async () => {
    const instance_id = await newInstance();
    const items = [
      { id: 'right', group_id: 'g', instance_id, artifact: { files: [file(RIGHT)] } },
      { id: 'bad', group_id: 'g', submission_id: 'sub_nonsense' },
      { id: 'wrong', group_id: 'g', instance_id, artifact: { files: [file(WRONG)] }, unknown_field: 1 },
      { id: 'shapeless', group_id: 'g', artifact: 7 },
      'not even an object',
    ];
    const { status, body } = await post('/v1/rewards', { request_id: 'r1', items }, 'trainer');
    expect(status).toBe(200);
    expect(body.items.map((item: { id: string }) => item.id)).toEqual(['right', 'bad', 'wrong', 'shapeless', '']);
    expect(new Set(body.items.map((item: object) => Object.keys(item).sort().join())).size).toBe(1);
    expect(body.items.map((item: { reward: number }) => item.reward)).toEqual([1, 0, 0, 0, 0]);
    expect(body.items.map((item: { mask_sample: boolean }) => item.mask_sample)).toEqual([
      false,
      true,
      false,
      true,
      true,
    ]);
    expect(body.items[1]).toMatchObject({ status: 'unscored', failure_kind: 'proctor:not-found', fault: 'caller' });
    expect(body.items[0].group).toEqual({ n_valid: 2, advice: 'keep', neutral_reward: 0.5 });
  });

  test('the same request id joins the earlier work', async () => {
    const instance_id = await newInstance();
    const request = { request_id: 'again', items: [{ id: '1', instance_id, artifact: { files: [file(RIGHT)] } }] };
    const first = (await post('/v1/rewards', request, 'trainer')).body.items[0];
    const second = (await post('/v1/rewards', request, 'trainer')).body.items[0];
    expect(second.verdict_id).toBe(first.verdict_id);
    expect([first.cached, second.cached]).toEqual([false, true]);
  });

  test('request ids and item ids that look alike when joined are different work', async () => {
    const instance_id = await newInstance();
    const ask = (request_id: string, id: string, source: string) =>
      post('/v1/rewards', { request_id, items: [{ id, instance_id, artifact: { files: [file(source)] } }] }, 'trainer');
    expect((await ask('a/b', 'c', RIGHT)).body.items[0].reward).toBe(1);
    expect((await ask('a', 'b/c', WRONG)).body.items[0]).toMatchObject({ status: 'scored', reward: 0 });
  });

  test('the deadline is kept: what is not graded by then is pending and masked', async () => {
    const instance_id = await newInstance();
    const slow = 'import time\ndef double(x):\n    time.sleep(0.4)\n    return 2 * x\n';
    const request = {
      request_id: 'late',
      deadline_ms: 50,
      items: [{ id: '1', instance_id, artifact: { files: [file(slow)] } }],
    };
    const early = (await post('/v1/rewards', request, 'trainer')).body.items[0];
    expect(early).toMatchObject({ status: 'pending', mask_sample: true, reward: 0 });
    const later = (await post('/v1/rewards', { ...request, deadline_ms: 30_000 }, 'trainer')).body.items[0];
    expect(later).toMatchObject({ status: 'scored', reward: 1 });
  });

  test('an empty batch is answered with an empty one', async () => {
    expect((await post('/v1/rewards', { items: [] }, 'trainer')).body).toEqual({ items: [] });
  });
});
