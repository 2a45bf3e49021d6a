import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appealCase } from '../../src/pipeline/appeal-case.ts';
import { guardRun } from '../../src/pipeline/guard-run.ts';
import { ruleCase } from '../../src/pipeline/rule-case.ts';
import { ruleGroup } from '../../src/pipeline/rule-group.ts';
import { undoRuling } from '../../src/pipeline/undo-ruling.ts';
import { createLog } from '../../src/platform/base/log.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { countRunShares } from '../../src/stages/policy/guard-store.ts';
import type { DecisionBody } from '../../src/stages/policy/policy.ts';
import { listAudit, noteOpened } from '../../src/stages/review/audit-store.ts';
import type { Ruling } from '../../src/stages/review/review.ts';
import { findCase } from '../../src/stages/review/review-store.ts';
import { findLatestReward } from '../../src/stages/reward/reward-store.ts';
import { newWebhookSecret } from '../../src/stages/reward/webhook.ts';
import { saveWebhook } from '../../src/stages/reward/webhook-store.ts';
import { findRun } from '../../src/stages/run/run-store.ts';
import type { VerdictBody } from '../../src/stages/verdict/verdict.ts';
import { findLatestVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { onBothDatabases, type Where } from '../support/both-databases.ts';
import { testSealer } from '../support/evidence-rows.ts';
import { reviewable } from '../support/review-rows.ts';

await onBothDatabases(overruledContract);

const UNGRADED: Partial<VerdictBody> = {
  ...{ outcome: 'ungraded', integrity: 'unknown', assurance: null, fault: 'platform', score: 0 },
  ...{ cases: { passed: 0, total: 0 }, reason: 'sandbox-failed' },
};
const MASKED: Partial<DecisionBody> = { action: 'quarantine', weight: 0, mask: true, flags: [] };

function overruledContract(name: string, where: Where): void {
  describe(`rulings that overrule others, and who is told: ${name}`, () => {
    const sealer = testSealer();
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
    });
    afterAll(() => database.close());
    const rule = (caseId: string, reviewer: string, ruling: Ruling) =>
      ruleCase(
        { database, sealer },
        { caseId, reviewer, ruling, technique: ruling === 'cheat' ? 'hardcode-visible-cases' : null, note: '' },
      );
    /** What a second reviewer makes of a hand-in on which a first one ruled. */
    const overruled = async (first: Ruling, second: Ruling, verdict: Partial<VerdictBody> = {}) => {
      const made = await reviewable(database, { sealer, verdict });
      await rule(made.caseId, 'a', first);
      const { id } = await appealCase({ database }, { verdictId: made.verdict.id, who: 'x', why: 'no' });
      await rule(id, 'b', second);
      const reward = await findLatestReward(database, made.artifactId);
      return { verdict: (await findLatestVerdict(database, made.artifactId))?.body, reward: reward?.body };
    };
    const inRun = async (run: string, artifactId: string) => {
      await database.query('INSERT INTO runs (id) VALUES ($1) ON CONFLICT DO NOTHING', [run]);
      await database.query(`UPDATE artifacts SET run_id = $1, created_at = now() + interval '1 second' WHERE id = $2`, [
        ...[run, artifactId],
      ]);
    };
    const newHook = async (id: string, event: 'reward.amended' | 'run.paused', run: string) => {
      const webhook = { id, keyId: 'k', url: 'https://example.org/', run, events: [event] };
      await saveWebhook(database, { ...webhook, secret: newWebhookSecret() });
      return async () =>
        (await database.query('SELECT body FROM webhook_messages WHERE webhook_id = $1 ORDER BY created_at', [id])).map(
          ({ body }) => body,
        );
    };

    test('what was never graded is no zero after somebody overrules that it was a cheat', async () => {
      const { verdict, reward } = await overruled('cheat', 'honest', UNGRADED);
      expect(verdict).toMatchObject({ outcome: 'ungraded', fault: 'platform', integrity: 'clean' });
      expect(reward).toMatchObject({ status: 'unscored', maskSample: true });
    });

    test('what was graded gets what it earned after somebody overrules that its task was at fault', async () => {
      const { verdict, reward } = await overruled('task-defect', 'honest');
      expect(verdict).toMatchObject({ outcome: 'passed', fault: 'none', score: 1, reason: null });
      expect(reward).toMatchObject({ status: 'scored', reward: 1, maskSample: false });
    });

    test('passed work that turns out to be honest is nobody’s fault', async () => {
      expect((await overruled('cheat', 'honest')).verdict).toMatchObject({ outcome: 'passed', fault: 'none' });
    });

    test('trainers are told of each reward that a ruling changed, and of each that came back', async () => {
      const { artifactId, caseId } = await reviewable(database, { sealer });
      await inRun('told', artifactId);
      const messages = await newHook('hook_1', 'reward.amended', 'told');
      await rule(caseId, 'a', 'unsure');
      expect(await messages()).toEqual([]);
      await rule(caseId, 'b', 'cheat');
      await undoRuling({ database, sealer }, { caseId, reviewer: 'b' });
      const told = { type: 'reward.amended', data: { submission_id: artifactId, run_id: 'told' } };
      expect(await messages()).toMatchObject([told, told]);
    });

    test('a ruling on a group leaves what was appealed to be looked at by itself', async () => {
      const verdict = { signals: [{ kind: 'appealed-in-group', severity: 'suspect' }] };
      const made = [await reviewable(database, { sealer, verdict }), await reviewable(database, { sealer, verdict })];
      const [first, second] = made.map(({ caseId }) => caseId);
      await rule(first ?? '', 'a', 'cheat');
      const why = { verdictId: made[0]?.verdict.id ?? '', who: 'x', why: 'no' };
      const appeal = await appealCase({ database }, why);
      for (const id of [appeal.id, second ?? '']) await noteOpened(database, id, 'b');
      const given = { group: appeal.group, reviewer: 'b', ruling: 'honest', technique: null, note: '' } as const;
      const reports = await ruleGroup({ database, sealer }, given);
      expect(reports.find(({ caseId }) => caseId === second)?.problem).toBeNull();
      expect(reports.find(({ caseId }) => caseId === appeal.id)?.problem?.code).toBe('conflict');
      expect((await findCase(database, appeal.id)).closedAt).toBeNull();
    });

    test('a hand-in counts once in the shares of its run, as it stands after rulings', async () => {
      for (const ruling of ['honest', null] as const) {
        const { artifactId, caseId } = await reviewable(database, { sealer, decision: MASKED });
        await inRun('shares', artifactId);
        if (ruling !== null) await rule(caseId, 'a', ruling);
      }
      expect(await countRunShares(database, 'shares', 50)).toEqual({ of: 2, masked: 1, rejected: 0, flagged: 0 });
    });

    test('trainers are told that a guard paused their run, once', async () => {
      const { artifactId } = await reviewable(database, { sealer, decision: MASKED });
      await inRun('guarded', artifactId);
      const messages = await newHook('hook_2', 'run.paused', 'guarded');
      const rules = { id: 'p', guard: { masked: { share: 0.5, at_least: 1, do: 'pause' } } };
      const decided = { context: { run: { id: 'guarded' } }, policy: { rules }, body: { mask: true, flags: [] } };
      for (let time = 0; time < 2; time++) {
        await guardRun({ database, log: createLog('silent') }, decided as never);
      }
      const { state, reason } = await findRun(database, 'guarded');
      expect([state, await messages()]).toEqual([
        'paused',
        [expect.objectContaining({ type: 'run.paused', data: { run_id: 'guarded', kind: 'masked', reason } })],
      ]);
      const [line] = await listAudit(database, { subject: 'guarded', limit: 9 });
      expect(line).toMatchObject({ who: 'policy', action: 'run-paused', detail: { what: 'masked', reason } });
    });
  });
}
