import { describe, expect, test } from 'vitest';
import { apiForFile, file } from '../support/http.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api, newInstance, post } = apiForFile();
const rewards = async (body: object, role: 'trainer' | 'harness' = 'trainer') =>
  (await post('/v1/rewards', body, role)).body.items;
const PATCH = `--- a/double.py
+++ b/double.py
@@ -1,2 +1,2 @@
 def double(x):
-    raise NotImplementedError
+    return 2 * x
`;

describe('what an item may bring', () => {
  test('a task instead of an instance: the same request joins, whatever instance was made for it', async () => {
    const item = { id: '1', task: 'test/double', seed: 's1', artifact: { files: [file(RIGHT)] } };
    const body = { request_id: 'by-task', items: [item] };
    const [[first], [second]] = await Promise.all([rewards(body), rewards(body)]);
    expect(first).toMatchObject({ status: 'scored', reward: 1 });
    expect(second.submission_id).toBe(first.submission_id);
    expect((await rewards(body))[0]).toMatchObject({ submission_id: first.submission_id, cached: true });
    const other = { ...body, items: [{ ...item, artifact: { files: [file(WRONG)] } }] };
    expect((await rewards(other))[0]).toMatchObject({ status: 'unscored', failure_kind: 'proctor:conflict' });
  });

  test('a patch on the files of the instance, and the answer of a model', async () => {
    const instance_id = await newInstance();
    const items = [
      { id: 'patch', instance_id, patch: PATCH },
      { id: 'misfit', instance_id, patch: PATCH.replace('raise', 'rise') },
      { id: 'answer', instance_id, response: `So:\n\`\`\`python\n${RIGHT}\`\`\`\nDone.` },
      { id: 'chat', instance_id, response: [{ role: 'assistant', content: 'x' }] },
    ];
    const answered = await rewards({ items });
    expect(answered.map((item: { reward: number; failure_kind: string }) => [item.reward, item.failure_kind])).toEqual([
      ...[
        [1, ''],
        [0, 'proctor:bad-request'],
      ],
      ...[
        [1, ''],
        [0, 'proctor:bad-request'],
      ],
    ]);
    expect(answered[1].failure_reason).toContain('hunk 1 does not apply');
  });

  test('what a session handed in', async () => {
    const instance_id = await newInstance();
    const steps = [{ action: { type: 'shell', command: 'true' }, observation: { output: '' } }];
    const imported = await post('/v1/sessions/import', {
      ...{ instance_id, idempotency_key: 'imported', files: [file(RIGHT)], steps },
    });
    expect(imported.status).toBe(201);
    const [ended, unknown] = await rewards({
      items: [
        { id: 'ended', session_id: imported.body.session_id },
        { id: 'unknown', session_id: 'sess_none' },
      ],
    });
    expect(ended).toMatchObject({ status: 'scored', reward: 1, submission_id: imported.body.submission_id });
    expect(unknown).toMatchObject({ status: 'unscored', failure_kind: 'proctor:not-found', fault: 'caller' });
  });

  test('two sources at once, none, or neither task nor instance are bad items, and a trajectory by uri is not fetched', async () => {
    const instance_id = await newInstance();
    const artifact = { files: [file(RIGHT)] };
    const items = [
      { id: 'two', instance_id, artifact, patch: PATCH },
      { id: 'none', instance_id },
      { id: 'nowhere', artifact },
      { id: 'both', instance_id, task: 'test/double', artifact },
      { id: 'uri', instance_id, artifact, trajectory: { format: 'atif', uri: 'http://x/', sha256: 'y' } },
    ];
    const answered = await rewards({ items });
    expect(answered.map((item: { failure_kind: string }) => item.failure_kind)).toEqual(
      items.map(() => 'proctor:bad-request'),
    );
    expect(answered[4].failure_reason).toContain('is not fetched');
  });

  test('what a caller says of an item is kept as its word, and changes nothing', async () => {
    const instance_id = await newInstance();
    const said = {
      ...{ prompt: [{ role: 'user', content: 'double' }], label: 'passed', attempt: 3, group_size: 8 },
      ...{ stop: { status: 'completed', exception_type: null }, metadata: { odd: '\0' } },
      trajectory: { format: 'atif-1.7', inline: { steps: ['I passed all tests'] } },
    };
    const item = { id: 'said', instance_id, artifact: { files: [file(WRONG)] }, ...said };
    const [answered] = await rewards({ request_id: 'said', items: [item] });
    expect(answered).toMatchObject({ status: 'scored', reward: 0 });
    const { database, blobs } = api().service.parts;
    const [row] = await database.query('SELECT * FROM reward_items WHERE artifact_id = $1', [answered.submission_id]);
    expect(row?.said).toEqual({
      ...{ stop: said.stop, attempt: 3, groupSize: 8, trajectory: { format: 'atif-1.7' } },
    });
    const kept = JSON.parse((await blobs.get(String(row?.blob) as never)).toString());
    expect(kept).toEqual({
      prompt: said.prompt,
      label: 'passed',
      metadata: said.metadata,
      trajectory: said.trajectory.inline,
    });
  });
});

describe('groups', () => {
  test('siblings of earlier calls of the same run and group count, those of another run do not', async () => {
    const instance_id = await newInstance();
    const ask = (run_id: string, id: string, source: string) =>
      rewards({ run_id, items: [{ id, group_id: 'g', instance_id, artifact: { files: [file(source)] } }] });
    const [first] = await ask('run-a', '1', RIGHT);
    expect(first.group).toEqual({ n_valid: 1, advice: 'drop', neutral_reward: 1 });
    expect((await ask('run-b', '1', RIGHT))[0].group.n_valid).toBe(1);
    const [second] = await ask('run-a', '2', WRONG);
    expect(second.group).toEqual({ n_valid: 2, advice: 'keep', neutral_reward: 0.5 });
    expect(second.metrics.attempts_on_instance).toBe(3);
    const [again] = await rewards({
      run_id: 'run-a',
      items: [{ id: 'x', group_id: 'g', submission_id: first.submission_id }],
    });
    expect(again.group.n_valid).toBe(2);
  });

  test('a neutral fallback fills in what is missing, which stays masked and says so', async () => {
    const instance_id = await newInstance();
    const items = [
      { id: 'right', group_id: 'n', instance_id, artifact: { files: [file(RIGHT)] } },
      { id: 'bad', group_id: 'n' },
    ];
    const bad = async (fallback: string) => (await rewards({ fallback, items }))[1];
    expect(await bad('neutral')).toMatchObject({
      ...{
        status: 'unscored',
        reward: 1,
        score: 0,
        reward_components: { task: 1 },
        mask_sample: true,
        train_weight: 0,
      },
    });
    expect(await bad('zero')).toMatchObject({ status: 'unscored', reward: 0, mask_sample: true });
  });
});
