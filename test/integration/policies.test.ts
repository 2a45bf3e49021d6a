import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { policyCommand } from '../../src/bin/commands/policy.ts';
import { decideVerdict } from '../../src/pipeline/decide-verdict.ts';
import { compareShadow, replayPolicy } from '../../src/pipeline/replay-policy.ts';
import { digestOf, digestOfJson } from '../../src/platform/base/digest.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createLog } from '../../src/platform/base/log.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { findDecisionContext, findDecisionPolicy } from '../../src/stages/policy/decision-store.ts';
import { explainDecision } from '../../src/stages/policy/explain-decision.ts';
import { openPolicies, type Policies } from '../../src/stages/policy/load-policy.ts';
import type { DecisionRow } from '../../src/stages/policy/policy.ts';
import type { RunAlarm } from '../../src/stages/policy/watch-shares.ts';
import { saveWebhook } from '../../src/stages/reward/webhook-store.ts';
import { ensureRun, findRun } from '../../src/stages/run/run-store.ts';
import { taskDefinitionSchema } from '../../src/stages/task/task.ts';
import type { VerdictBody } from '../../src/stages/verdict/verdict.ts';
import { scratchDataFolder, scratchFolder } from '../support/test-service.ts';

const ABOUT = 'version: 1\nabout: x\n';
const PLAIN =
  'cases:\n  - { name: x, given: { outcome: passed, integrity: clean }, expect: { action: accept, weight: 1 } }\n';
const LIVE = `id: default\n${ABOUT}guard: { flagged: { share: 0.5, at_least: 4, do: pause } }
rules:
  - { id: doubt, about: x, when: { integrity: suspect }, decide: { action: accept, weight: 1, flag: doubt } }
${PLAIN}`;
const NEXT = `id: next\n${ABOUT}rules:
  - { id: doubt-halves, about: x, when: 'verdict.integrity == "suspect"', decide: { action: down-weight, weight: 0.5 } }
  - { id: held, about: x, when: 'verdict.cases_total > 8', decide: { action: quarantine, weight: 0 } }
${PLAIN}`;
const TASK = {
  name: 'test/policies',
  digest: digestOf('t'),
  files: [],
  definition: taskDefinitionSchema.parse({
    task: { keywords: ['python'] },
    proctor: { grader: 'function', function: { module: 'a', function: 'b' } },
  }),
};

describe('decisions by policies', () => {
  let data: Awaited<ReturnType<typeof scratchFolder>>;
  let folder: typeof data;
  let database: Database;
  let policies: Policies;
  const alarms: RunAlarm[] = [];
  beforeAll(async () => {
    [data, folder] = [await scratchDataFolder(), await scratchFolder()];
    database = await openDatabase({ folder: join(data.path, 'database') });
    await mkdir(join(folder.path, 'p'));
    await writeFile(join(folder.path, 'p/default.yaml'), LIVE);
    await writeFile(join(folder.path, 'p/next.yaml'), NEXT);
    await writeFile(join(folder.path, 'p/broken.yaml'), NEXT.replace('integrity ==', 'integrty =='));
    policies = openPolicies(join(folder.path, 'p'));
    await database.query("INSERT INTO tasks (digest, name, files) VALUES ($1, $2, '[]')", [TASK.digest, TASK.name]);
    await database.query(
      "INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest) VALUES ('inst', $1, 's', true, '{}', 'd')",
      [TASK.digest],
    );
  });
  afterAll(async () => {
    await database.close();
    await data.dispose();
    await folder.dispose();
  });

  interface Given {
    readonly run: string;
    readonly integrity?: 'clean' | 'suspect';
    readonly total?: number;
    readonly shadow?: string;
  }

  /** Stores a graded hand-in of a run and decides on it, as the pipeline does. */
  async function decideOne({ run, integrity = 'clean', total = 4, shadow }: Given): Promise<DecisionRow> {
    await database.query('INSERT INTO runs (id) VALUES ($1) ON CONFLICT DO NOTHING', [run]);
    const [artifactId, gradeId, verdictId] = [newId('sub'), newId('grade'), newId('ver')];
    await database.query(
      `INSERT INTO artifacts (id, instance_id, manifest, digest, run_id, labels) VALUES ($1, 'inst', '{}', 'd', $2, $3::jsonb)`,
      [artifactId, run, JSON.stringify({ run, step: 3 })],
    );
    await database.query(`INSERT INTO grades (id, artifact_id, round, body, digest) VALUES ($1, $2, 1, '{}', 'd')`, [
      gradeId,
      artifactId,
    ]);
    const body: VerdictBody = {
      ...{ outcome: 'passed', integrity, assurance: 'oracle', fault: 'none', score: 1, pinned: true, reason: null },
      ...{ cases: { passed: total, total }, signals: [{ kind: 'x', severity: 'suspect' }] },
      basis: { artifact: digestOf('a'), grade: digestOf('g'), screening: null },
    };
    const digest = digestOfJson(body);
    await database.query(
      'INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) VALUES ($1, $2, $3, $4::jsonb, $5)',
      [...[verdictId, artifactId, gradeId, JSON.stringify(body), digest]],
    );
    const verdict = {
      id: verdictId,
      artifactId,
      gradeId,
      body,
      digest,
      amends: null,
      rulingId: null,
      createdAt: new Date(),
    };
    const parts = {
      database,
      policies,
      log: createLog('silent'),
      alarm: (alarm: RunAlarm) => void alarms.push(alarm),
      shadowPolicy: shadow ?? null,
    };
    return decideVerdict(parts, { verdict, grade: undefined, task: TASK, sessionId: null, profile: undefined });
  }

  test('a decision keeps what it rests on, is derived again from it, and a change is noticed', async () => {
    const decision = await decideOne({ run: 'kept', integrity: 'suspect' });
    const context = await findDecisionContext(database, decision.id);
    expect(context).toMatchObject({
      ...{ verdict: { integrity: 'suspect', cases_total: 4 }, profile: null, session: null },
      ...{
        task: { name: TASK.name, tags: ['python'], grader: 'function' },
        run: { id: 'kept', step: 3, state: 'active' },
      },
    });
    if (context === null) throw new Error('no context');
    const explained = explainDecision(context, await findDecisionPolicy(database, decision.id), decision.body);
    expect(explained).toMatchObject({
      same: true,
      rules: [{ id: 'doubt', fired: 'yes', because: { 'verdict.integrity': 'suspect' }, weight: 1 }],
    });
    await database.query(`UPDATE decisions SET context = jsonb_set(context, '{verdict,score}', '0.5') WHERE id = $1`, [
      decision.id,
    ]);
    await expect(findDecisionContext(database, decision.id)).rejects.toMatchObject({ code: 'digest-mismatch' });
    await database.query(`UPDATE decisions SET context = jsonb_set(context, '{verdict,score}', '1') WHERE id = $1`, [
      decision.id,
    ]);
  });

  test('a run is paused when too much of it is flagged, once, and what is counted begins anew when it is resumed', async () => {
    const hook = { id: newId('hook'), keyId: 'key', url: 'https://trainer.example/', run: 'night', secret: 's' };
    await ensureRun(database, hook);
    await saveWebhook(database, { ...hook, events: ['run.paused'] });
    const flagged = () => decideOne({ run: 'night', integrity: 'suspect' });
    const stateOf = async () => (await findRun(database, 'night')).state;
    for (const _ of [1, 2, 3]) await flagged();
    expect(await stateOf()).toBe('active'); // fewer than the guard looks at
    await flagged();
    expect(await findRun(database, 'night')).toMatchObject({
      state: 'paused',
      reason: expect.stringContaining('4 of the last 4 hand-ins are flagged, more than 50 %'),
    });
    await flagged();
    expect(alarms.filter(({ run }) => run === 'night')).toHaveLength(1);
    const told = await database.query('SELECT type, body FROM webhook_messages WHERE webhook_id = $1', [hook.id]);
    expect(told).toMatchObject([{ type: 'run.paused', body: { data: { run_id: 'night', kind: 'flagged' } } }]);
    await database.query("UPDATE runs SET state = 'active', reason = NULL, changed_at = now() WHERE id = 'night'");
    await flagged();
    expect(await stateOf()).toBe('active');
    for (const _ of [1, 2, 3]) await decideOne({ run: 'calm' });
    await decideOne({ run: 'calm', integrity: 'suspect' });
    expect((await findRun(database, 'calm')).state).toBe('active');
  });

  test('a policy is replayed over stored decisions, with changes by rule and what of it hits honest work', async () => {
    const since = new Date();
    const decided = [
      await decideOne({ run: 'replayed', integrity: 'suspect' }),
      await decideOne({ run: 'replayed' }),
      await decideOne({ run: 'replayed', total: 9 }),
    ];
    await database.query('UPDATE decisions SET context = NULL, context_digest = NULL WHERE id = $1', [
      (await decideOne({ run: 'replayed' })).id,
    ]);
    const honest = new Set(decided.map(({ verdictId }) => verdictId));
    const honestOf = async (ids: readonly string[]) => ids.filter((id) => honest.has(id));
    const request = { policy: 'next', against: null, since, honestOf };
    const report = await replayPolicy({ database, policies }, request);
    expect(report).toMatchObject({
      ...{ decisions: 3, withoutContext: 1, changed: 2, masked: 1, weighedLess: 1, honest: 3 },
      before: { masked: 0, flagged: 1, honestPunished: 0, weight: 3 },
      after: { masked: 1, flagged: 0, honestPunished: 2, weight: 1.5 },
    });
    expect(report.rules).toEqual([
      { id: 'doubt-halves', before: 0, after: 1, changed: 1, honest: 1 },
      { id: 'held', before: 0, after: 1, changed: 1, honest: 1 },
      { id: 'doubt', before: 1, after: 0, changed: 1, honest: 0 },
    ]);
    const itself = await replayPolicy({ database, policies }, { policy: 'next', against: 'next', since });
    expect(itself).toMatchObject({ decisions: 3, changed: 0 });
    const later = await replayPolicy({ database, policies }, { ...request, since: new Date(Date.now() + 60_000) });
    expect(later.decisions).toBe(0);
  });

  test('the command line checks policies, tries their cases, and says what is wrong with one', async () => {
    vi.stubEnv('PROCTOR_POLICY_DIR', join(folder.path, 'p'));
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const run = async (...args: string[]) => {
      print.mockClear();
      process.exitCode = 0;
      await policyCommand().parseAsync(['node', 'policy', ...args]);
      const code = process.exitCode;
      process.exitCode = 0;
      return { code, printed: print.mock.calls.map(([text]) => String(text)).join('\n') };
    };
    try {
      const all = await run('check', '--json');
      expect(all.code).toBe(2);
      const { policies: checked } = JSON.parse(all.printed) as { policies: { file: string; faults: string[] }[] };
      expect(checked.map(({ faults }) => faults.length)).toEqual([1, 0, 0]);
      expect(checked[0]?.faults[0]).toMatch(/^broken\.yaml: rules\.0\.when: .*did you mean "integrity"\?$/);
      expect(await run('check', 'next')).toMatchObject({
        code: 0,
        printed: expect.stringContaining('2 rules, 1 cases'),
      });
      const failing = join(folder.path, 'failing.yaml');
      await writeFile(failing, NEXT.replace('action: accept', 'action: reject'));
      expect(await run('test', failing)).toMatchObject({
        code: 1,
        printed: expect.stringContaining('not as expected'),
      });
    } finally {
      vi.unstubAllEnvs();
      print.mockRestore();
    }
  });

  test('a shadow policy decides beside the live one and changes nothing, also when it does not load', async () => {
    const since = new Date();
    expect((await decideOne({ run: 'shadowed', integrity: 'suspect', shadow: 'next' })).body).toMatchObject({
      action: 'accept',
      weight: 1,
    });
    expect((await decideOne({ run: 'shadowed', integrity: 'suspect', shadow: 'broken' })).body).toMatchObject({
      action: 'accept',
      weight: 1,
    });
    await decideOne({ run: 'shadowed', shadow: 'next' });
    const summed = await compareShadow(database, { policy: 'next', since });
    expect(summed).toMatchObject({
      decisions: 2,
      changed: 1,
      weighedLess: 1,
      before: { weight: 2 },
      after: { weight: 1.5 },
    });
  });
});
