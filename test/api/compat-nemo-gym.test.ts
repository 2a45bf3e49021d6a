import { describe, expect, test } from 'vitest';
import { answer, compatForFile } from '../support/compat-kit.ts';
import { code } from '../support/http.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, post, newInstance } = compatForFile();
const SLOW = 'import time\ndef double(x):\n    time.sleep(0.4)\n    return 2 * x\n';

function said(source: string) {
  const content = [{ type: 'output_text', text: answer(source), annotations: [] }];
  const output = [
    { type: 'reasoning', summary: [] },
    { type: 'message', role: 'assistant', status: 'completed', content },
  ];
  return { responses_create_params: { input: 'Write double.' }, response: { id: 'resp', output } };
}

describe('a NeMo Gym resources server', () => {
  test('verify gives the row back with what it earned', async () => {
    const row = { ...said(RIGHT), label: await newInstance(), instance_config: { image: 'x' }, _ng_task_index: 3 };
    const { status, body } = await post('/compat/nemo-gym/verify', row);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...row,
      ...{ reward: 1, score: 1, train_weight: 1, mask_sample: false, failure_kind: null, failure_reason: null },
      instance_config: { image: 'x', mask_sample: false },
    });
  });

  test('a session that was seeded for a task is graded on the instance that was drawn for it', async () => {
    const row = { verifier_metadata: { task: 'test/double', seed: 's1' } };
    const seeded = await post('/compat/nemo-gym/seed_session', row);
    expect([seeded.status, seeded.body]).toEqual([200, {}]);
    const cookie = String(seeded.headers['set-cookie']).split(';')[0] ?? '';
    const verified = await post('/compat/nemo-gym/verify', { ...said(RIGHT), ...row }, { cookie });
    expect(verified.body.reward).toBe(1);
    const graded = await api().service.parts.database.query('SELECT 1 FROM artifacts WHERE instance_id = $1', [
      cookie.split('=')[1],
    ]);
    expect(graded).toHaveLength(1);
    const other = { ...said(RIGHT), label: { task: 'test/doubtful' } };
    expect((await post('/compat/nemo-gym/verify', other, { cookie })).body.failure_kind).toBe('proctor:conflict');
  });

  test('rows without a label seed nothing; newer clients get their session id back', async () => {
    const reply = await post('/compat/nemo-gym/seed_session', { resources_session_id: 'r1', task_data: {} });
    expect([reply.body, reply.headers['set-cookie']]).toEqual([{ resources_session_id: 'r1' }, undefined]);
    expect(code(await post('/compat/nemo-gym/seed_session', { label: { task: 'no/such' } }))).toEqual([
      ...[404, 'not-found'],
    ]);
  });

  test('what is not for learning is marked in both places, with a kind that it knows the form of', async () => {
    const label = await newInstance('test/doubtful');
    const { body } = await post('/compat/nemo-gym/verify', { ...said(WRONG), label, instance_config: 'odd' });
    expect(body).toMatchObject({ reward: 0, mask_sample: true, instance_config: { mask_sample: true } });
    const late = await post('/compat/nemo-gym/verify?deadline_ms=50', { ...said(SLOW), label });
    const lost = await post('/compat/nemo-gym/verify', { ...said(RIGHT), proctor: 'nonsense' });
    for (const reply of [late, lost]) expect([reply.status, reply.body.mask_sample]).toEqual([200, true]);
    expect([body.failure_kind, late.body.failure_kind, lost.body.failure_kind]).toEqual([
      ...['proctor:quarantined', 'proctor:pending', 'proctor:bad_request'],
    ]);
  });

  test('where a task takes more than one file, the label has to say which one the response is', async () => {
    const instance_id = await newInstance('test/many');
    const vague = await post('/compat/nemo-gym/verify', { ...said(RIGHT), proctor: { instance_id } });
    expect([vague.body.mask_sample, vague.body.failure_reason]).toEqual([
      ...[true, 'test/many takes more than one file: say in the label which one the response is, as "file"'],
    ]);
    const verifier_metadata = { label: JSON.stringify({ instance_id, file: 'double.py' }) };
    expect((await post('/compat/nemo-gym/verify', { ...said(RIGHT), verifier_metadata })).body.reward).toBe(1);
  });

  test('metrics and the mode of verifying again are told', async () => {
    const metrics = await post('/compat/nemo-gym/aggregate_metrics', { verify_responses: [{ reward: 1 }] });
    expect(metrics.body.key_metrics).toEqual({ 'mean/reward': 1 });
    expect((await api().call('trainer', { url: '/compat/nemo-gym/reverify_mode' })).text).toBe('"stateless"');
  });
});

describe('the same for verifiers, which reads no marks', () => {
  test('earned rewards come as they are', async () => {
    const { body } = await post('/compat/verifiers/verify', { ...said(WRONG), label: await newInstance() });
    expect([body.reward, body.mask_sample]).toEqual([0, false]);
  });

  test('what is not for learning, or not there, is an error and never a zero', async () => {
    const label = await newInstance('test/doubtful');
    expect(code(await post('/compat/verifiers/verify', { ...said(WRONG), label }))).toEqual([422, 'masked']);
    expect(code(await post('/compat/verifiers/verify', { ...said(RIGHT), label: 'x' }))).toEqual([422, 'masked']);
    const late = await post(
      '/compat/verifiers/verify',
      { ...said(`# late\n${SLOW}`), label },
      {
        'x-proctor-deadline-ms': '50',
      },
    );
    expect(code(late)).toEqual([503, 'no-result']);
  });
});
