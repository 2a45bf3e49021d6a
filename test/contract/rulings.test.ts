import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appealCase } from '../../src/pipeline/appeal-case.ts';
import { ruleCase } from '../../src/pipeline/rule-case.ts';
import { ruleGroup } from '../../src/pipeline/rule-group.ts';
import { undoRuling } from '../../src/pipeline/undo-ruling.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { findEvidence, listEvidence } from '../../src/stages/evidence/evidence-store.ts';
import { verifyRecords } from '../../src/stages/evidence/verify-evidence.ts';
import { listAudit, noteOpened } from '../../src/stages/review/audit-store.ts';
import { countTechniques, rulePrecision } from '../../src/stages/review/dashboard-store.ts';
import { listGroup } from '../../src/stages/review/queue-store.ts';
import { MAX_APPEALS } from '../../src/stages/review/review.ts';
import { claimCase, findCase } from '../../src/stages/review/review-store.ts';
import type { CaseRuling } from '../../src/stages/review/ruled.ts';
import { findRulings, listLabels } from '../../src/stages/review/ruling-store.ts';
import { findLatestReward } from '../../src/stages/reward/reward-store.ts';
import { saveWebhook } from '../../src/stages/reward/webhook-store.ts';
import { findLatestVerdict, findStandingVerdict, findVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { onBothDatabases, type Where } from '../support/both-databases.ts';
import { testSealer } from '../support/evidence-rows.ts';
import { reviewable, rewardedHandIn } from '../support/review-rows.ts';

await onBothDatabases(rulingContract);

const CHEAT = { ruling: 'cheat', technique: 'hardcode-visible-cases', note: 'a table of answers' } as const;
const HONEST = { ruling: 'honest', technique: null, note: '' } as const;
const UNSURE = { ruling: 'unsure', technique: null, note: 'hm' } as const;

function rulingContract(name: string, where: Where): void {
  describe(`rulings: ${name}`, () => {
    const sealer = testSealer();
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
    });
    afterAll(() => database.close());
    const newCase = (kind = 'hard-coded') =>
      reviewable(database, { sealer, verdict: { signals: [{ kind, severity: 'suspect' }] } });
    const rule = (request: CaseRuling) => ruleCase({ database, sealer }, request);
    const rewardOf = async (artifactId: string) => (await findLatestReward(database, artifactId))?.body;
    const count = async (table: string, where = 'true') =>
      Number((await database.query(`SELECT count(*)::int AS n FROM ${table} WHERE ${where}`))[0]?.n);

    test('a ruling amends the verdict by a new row, with its evidence, decision and reward', async () => {
      const { artifactId, verdict, caseId } = await newCase();
      expect(await rewardOf(artifactId)).toMatchObject({ reward: 1, flags: ['suspect'] });
      const ruled = await rule({ caseId, reviewer: 'a', ...CHEAT });
      expect(ruled.case).toMatchObject({ ruling: 'cheat', closedAt: expect.any(Date), claimedBy: null });
      const latest = await findLatestVerdict(database, artifactId);
      expect(latest).toMatchObject({ amends: verdict.id, rulingId: ruled.ruling.id, body: { integrity: 'violated' } });
      expect(await findVerdict(database, verdict.id)).toEqual(verdict);
      expect(await rewardOf(artifactId)).toMatchObject({ reward: 0, score: 1, flags: ['confirmed-cheat'] });
      const reward = await findLatestReward(database, artifactId);
      expect(ruled.amended).toEqual({ verdictId: latest?.id, rewardId: reward?.id, artifactId, runId: null });
      const { content } = await findEvidence(database, latest?.id ?? '');
      expect(content.ruling).toEqual({
        ...{ id: ruled.ruling.id, digest: ruled.ruling.digest },
        amends: { id: verdict.id, digest: verdict.digest },
      });
      const [line] = await listAudit(database, { subject: caseId, limit: 1 });
      expect(line).toMatchObject({ who: 'a', action: 'ruled', detail: { ruling: 'cheat', verdict: latest?.id } });
    });

    test('whoever trains on it is told that the reward is another one', async () => {
      const hook = { id: newId('hook'), keyId: 'key', url: 'https://trainer.example/', run: null, secret: 's' };
      await saveWebhook(database, { ...hook, events: ['reward.amended'] });
      const { artifactId, caseId } = await newCase();
      await rule({ caseId, reviewer: 'a', ...HONEST });
      const told = await database.query('SELECT type, body FROM webhook_messages WHERE webhook_id = $1', [hook.id]);
      expect(told).toMatchObject([{ type: 'reward.amended', body: { data: { submission_id: artifactId } } }]);
    });

    test('of many who rule at once one wins, and what it ruled is there once', async () => {
      const { artifactId, caseId } = await newCase();
      const rulings = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((reviewer) => rule({ caseId, reviewer, ...HONEST })),
      );
      const lost = rulings.filter((one) => one.status === 'rejected');
      expect(lost.map(({ reason }) => reason.code)).toEqual(['conflict', 'conflict', 'conflict']);
      expect(await count('verdicts', `artifact_id = '${artifactId}'`)).toBe(2);
      expect(await findRulings(database, caseId)).toHaveLength(1);
    });

    test('the same asked twice with one key is one ruling, at once or later; another under that key is refused', async () => {
      const { artifactId, caseId } = await newCase();
      const request = { caseId, reviewer: 'a', idempotencyKey: 'k', ...CHEAT };
      const [one, two] = await Promise.all([rule(request), rule(request)]);
      expect(one.ruling).toEqual(two.ruling);
      expect([one.amended, two.amended].filter((amended) => amended !== null)).toHaveLength(1);
      await expect(rule({ ...request, ...HONEST })).rejects.toMatchObject({ code: 'conflict' });
      expect(await count('rewards', `artifact_id = '${artifactId}'`)).toBe(2);
    });

    test('a case that another looks at is not ruled on', async () => {
      const { caseId } = await newCase();
      await claimCase(database, caseId, 'a');
      await expect(rule({ caseId, reviewer: 'b', ...HONEST })).rejects.toMatchObject({ code: 'conflict' });
      expect((await rule({ caseId, reviewer: 'a', ...HONEST })).case.ruling).toBe('honest');
    });

    test('who is unsure asks for a second opinion, and cannot give it', async () => {
      const { artifactId, verdict, caseId } = await newCase();
      const before = await rewardOf(artifactId);
      const ruled = await rule({ caseId, reviewer: 'a', ...UNSURE });
      expect(ruled).toMatchObject({ amended: null, case: { ruling: 'unsure', closedAt: null } });
      expect(await rewardOf(artifactId)).toEqual(before);
      expect(await findStandingVerdict(database, verdict.id)).toEqual(verdict);
      await expect(rule({ caseId, reviewer: 'a', ...HONEST })).rejects.toMatchObject({ code: 'forbidden' });
      expect((await rule({ caseId, reviewer: 'b', ...HONEST })).case.closedAt).not.toBeNull();
    });

    test('a ruling that is taken back leaves everything as it was, and can be given again', async () => {
      const { artifactId, verdict, caseId } = await newCase();
      const before = await rewardOf(artifactId);
      const { waiting } = await findCase(database, caseId);
      const first = await rule({ caseId, reviewer: 'a', ...CHEAT });
      await expect(undoRuling({ database, sealer }, { caseId, reviewer: 'b' })).rejects.toMatchObject({
        code: 'forbidden',
      });
      const undone = await undoRuling({ database, sealer }, { caseId, reviewer: 'a' });
      expect(undone.ruling).toMatchObject({ undoes: first.ruling.id, ruling: 'cheat' });
      expect(undone.case).toMatchObject({ closedAt: null, ruling: null, waiting });
      expect(await rewardOf(artifactId)).toEqual(before);
      const { basis: _old, ...was } = verdict.body;
      expect((await findLatestVerdict(database, artifactId))?.body).toMatchObject(was);
      await expect(undoRuling({ database, sealer }, { caseId, reviewer: 'a' })).rejects.toMatchObject({
        code: 'conflict',
      });
      await rule({ caseId, reviewer: 'a', ...HONEST });
      expect(await rewardOf(artifactId)).toMatchObject({ reward: 1, flags: [] });
      expect(await count('verdicts', `artifact_id = '${artifactId}'`)).toBe(4);
    });

    test('a ruling can be taken back for an hour, and no longer', async () => {
      const { caseId } = await newCase();
      const { ruling } = await rule({ caseId, reviewer: 'a', ...CHEAT });
      const undoAfter = (minutes: number) => {
        const now = () => ruling.at.getTime() + minutes * 60_000;
        return undoRuling({ database, sealer, now }, { caseId, reviewer: 'a' });
      };
      await expect(undoAfter(61)).rejects.toMatchObject({ code: 'conflict' });
      expect((await undoAfter(59)).case.closedAt).toBeNull();
    });

    test('an appeal is another reviewer’s, and its ruling amends what stands', async () => {
      const { artifactId, verdict, caseId } = await newCase();
      await rule({ caseId, reviewer: 'a', ...CHEAT });
      const appeals = await Promise.all(
        ['x', 'y'].map((who) => appealCase({ database }, { verdictId: verdict.id, who, why: 'it is the only way' })),
      );
      expect(appeals[0]?.id).toBe(appeals[1]?.id);
      const appeal = appeals[0] ?? (await findCase(database, ''));
      expect(appeal).toMatchObject({ cause: 'appeal', closedAt: null, severity: 1 });
      expect(appeal.verdictId).not.toBe(verdict.id);
      await expect(undoRuling({ database, sealer }, { caseId, reviewer: 'a' })).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(rule({ caseId: appeal.id, reviewer: 'a', ...HONEST })).rejects.toMatchObject({ code: 'forbidden' });
      await rule({ caseId: appeal.id, reviewer: 'b', ...HONEST });
      expect(await rewardOf(artifactId)).toMatchObject({ reward: 1, flags: [] });
      const labels = await listLabels(database, { task: 'test/none', limit: 1_000 });
      expect(labels.filter((label) => label.artifactId === artifactId).map(({ ruling }) => ruling)).toEqual(['honest']);
    });

    test('a verdict without a case can be appealed, and not for ever', async () => {
      const { verdict } = await rewardedHandIn(database, { sealer, verdict: { integrity: 'clean', signals: [] } });
      for (let round = 0; round < MAX_APPEALS; round++) {
        const { id } = await appealCase({ database }, { verdictId: verdict.id, who: 'x', why: 'no' });
        await rule({ caseId: id, reviewer: `r${round}`, ...CHEAT });
      }
      const once = appealCase({ database }, { verdictId: verdict.id, who: 'x', why: 'no' });
      await expect(once).rejects.toMatchObject({ code: 'conflict' });
    });

    test('a group is ruled on as a whole only after enough of it was opened, each case by itself', async () => {
      const cases: string[] = [];
      for (let n = 0; n < 4; n++) cases.push((await newCase('in-bulk')).caseId);
      const { group } = await findCase(database, cases[0] ?? '');
      const all = () => ruleGroup({ database, sealer }, { group, reviewer: 'a', ...CHEAT });
      await noteOpened(database, cases[0] ?? '', 'a');
      await noteOpened(database, cases[1] ?? '', 'b');
      await expect(all()).rejects.toMatchObject({ code: 'conflict', details: { opened: 1, needed: 2 } });
      await noteOpened(database, cases[1] ?? '', 'a');
      await claimCase(database, cases[3] ?? '', 'b');
      const reports = await all();
      expect(reports.filter(({ problem }) => problem === null)).toHaveLength(3);
      expect(reports.find(({ caseId }) => caseId === cases[3])?.problem?.code).toBe('conflict');
      expect((await listGroup(database, group, 10)).map(({ id, waiting }) => [id, waiting])).toEqual([[cases[3], 1]]);
    });

    test('what fails on the way leaves nothing, wherever it fails', async () => {
      const { artifactId, caseId } = await newCase();
      const tables = ['review_rulings', 'verdicts', 'evidence', 'decisions', 'rewards', 'audit_log'];
      const rows = () => Promise.all(tables.map((table) => count(table)));
      const before = [await rows(), await findCase(database, caseId)];
      for (const statement of tables) {
        const failing: Database = {
          ...database,
          transaction: (run) =>
            database.transaction((transaction) =>
              run({
                query: async (sql, parameters) => {
                  const done = await transaction.query(sql, parameters);
                  if (sql.includes(`INSERT INTO ${statement}`)) throw new Error(`cut off after ${statement}`);
                  return done;
                },
              }),
            ),
        };
        const ruling = ruleCase({ database: failing, sealer }, { caseId, reviewer: 'a', ...CHEAT });
        await expect(ruling).rejects.toThrow(`cut off after ${statement}`);
        expect([await rows(), await findCase(database, caseId)]).toEqual(before);
      }
      await rule({ caseId, reviewer: 'a', ...CHEAT });
      expect(await rewardOf(artifactId)).toMatchObject({ reward: 0 });
    });

    test('rulings on one group and new cases of it at once do not wait for each other for ever', async () => {
      const cases: string[] = [];
      for (let n = 0; n < 6; n++) cases.push((await newCase('crowded')).caseId);
      await Promise.all([
        ...cases.map((caseId, n) => rule({ caseId, reviewer: `r${n}`, ...HONEST })),
        ...Array.from({ length: 3 }, () => newCase('crowded')),
      ]);
      const open = await listGroup(database, 'test/none · crowded', 10);
      expect(open.map(({ waiting }) => waiting)).toEqual([3, 3, 3]);
    });

    test('how often a rule was right is counted from what was ruled last on each hand-in', async () => {
      const decision = { rules: [{ id: 'counted', weight: 0.5 }] };
      const judged = async (request: typeof CHEAT | typeof HONEST) => {
        const { caseId } = await reviewable(database, { sealer, decision });
        await rule({ caseId, reviewer: 'a', ...request });
        return caseId;
      };
      await judged(CHEAT);
      await judged(HONEST);
      const before = await rulePrecision(database);
      expect(before.find((one) => one.rule === 'counted')).toMatchObject({ cheats: 1, of: 2, precision: 0.5 });
      const caseId = await judged(CHEAT);
      await undoRuling({ database, sealer }, { caseId, reviewer: 'a' });
      await rule({ caseId, reviewer: 'a', ruling: 'cheat', technique: 'leaked-seed', note: '' });
      const appealed = await judged(CHEAT);
      const { verdictId } = await findCase(database, appealed);
      const appeal = await appealCase({ database }, { verdictId, who: 'x', why: 'no' });
      await rule({ caseId: appeal.id, reviewer: 'b', ...HONEST });
      const after = (await rulePrecision(database)).find((one) => one.rule === 'counted');
      expect(after).toMatchObject({ cheats: 2, of: 4, low: expect.closeTo(0.15, 2), high: expect.closeTo(0.85, 2) });
      const techniques = await countTechniques(database);
      expect(techniques.find(({ technique }) => technique === 'leaked-seed')?.cheats).toBe(1);
    });

    test('the chain of evidence still verifies from end to end', async () => {
      const records = await listEvidence(database, { after: 0, limit: 1_000 });
      expect(verifyRecords(records).flatMap(({ failures }) => failures)).toEqual([]);
      expect(records.filter(({ content }) => content.ruling !== undefined).length).toBeGreaterThan(5);
    });
  });
}
