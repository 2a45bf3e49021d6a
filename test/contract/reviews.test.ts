import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { listAudit, noteOpened, saveAudit } from '../../src/stages/review/audit-store.ts';
import { listGroup, listQueue } from '../../src/stages/review/queue-store.ts';
import { claimCase, countQueue, findCase, releaseCase, saveCase } from '../../src/stages/review/review-store.ts';
import { findRulings, saveRuling } from '../../src/stages/review/ruling-store.ts';
import { onBothDatabases, type Where } from '../support/both-databases.ts';
import { reviewable, rewardedHandIn } from '../support/review-rows.ts';

await onBothDatabases(reviewContract);

function reviewContract(name: string, where: Where): void {
  describe(`reviews: ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
    });
    afterAll(() => database.close());

    test('a verdict has one case, however many open it at once', async () => {
      const { verdict, decision, artifactId, caseId } = await reviewable(database);
      const { group, severity, uncertainty, why, cause, task, waiting } = await findCase(database, caseId);
      const again = { artifactId, verdictId: verdict.id, decisionId: decision.id };
      const opened = { ...again, group, severity, uncertainty, why, cause, task };
      const opening = Array.from({ length: 5 }, () => database.transaction((t) => saveCase(t, opened)));
      expect(await Promise.all(opening)).toEqual(Array(5).fill({ id: caseId, isNew: false }));
      expect((await findCase(database, caseId)).waiting).toBe(waiting);
    });

    test('the more that are alike wait, the sooner each is looked at', async () => {
      const verdict = { signals: [{ kind: 'alike', severity: 'suspect' }] };
      const first = (await reviewable(database, { verdict })).caseId;
      const alone = await findCase(database, first);
      expect(alone).toMatchObject({ waiting: 1, group: 'test/none · alike' });
      await Promise.all([reviewable(database, { verdict }), reviewable(database, { verdict })]);
      const three = await findCase(database, first);
      expect(three).toMatchObject({ waiting: 3, priority: expect.closeTo(2 * alone.priority) });
      const all = await listGroup(database, alone.group, 10);
      expect(all.map(({ priority }) => priority)).toEqual(Array(3).fill(three.priority));
    });

    test('the queue is read page by page, in order, each case once', async () => {
      for (const integrity of ['violated', 'unknown', 'clean'] as const) {
        await reviewable(database, { verdict: { integrity } });
      }
      const { open } = await countQueue(database);
      const seen: { id: string; priority: number }[] = [];
      for (let after: string | undefined; ; ) {
        const { cases, next } = await listQueue(database, { limit: 2, after });
        seen.push(...cases);
        if (next === null) break;
        after = next;
      }
      expect(new Set(seen.map(({ id }) => id)).size).toBe(open);
      const sorted = [...seen].sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
      expect(seen.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
      await expect(listQueue(database, { limit: 2, after: 'x' })).rejects.toMatchObject({ code: 'bad-request' });
    });

    test('of many who claim a case at once one gets it, until it is let go or the claim runs out', async () => {
      const { caseId } = await reviewable(database);
      const names = ['a', 'b', 'c', 'd'];
      const claims = await Promise.allSettled(names.map((who) => claimCase(database, caseId, who)));
      expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { claimedBy } = await findCase(database, caseId);
      const other = names.find((who) => who !== claimedBy) ?? '';
      await expect(claimCase(database, caseId, other)).rejects.toMatchObject({ code: 'conflict' });
      expect((await listQueue(database, { limit: 5, mine: claimedBy ?? '' })).cases).toHaveLength(1);
      expect(await releaseCase(database, caseId, other)).toBe(false);
      expect(await releaseCase(database, caseId, claimedBy ?? '')).toBe(true);
      await claimCase(database, caseId, other);
      await database.query("UPDATE review_cases SET claimed_until = now() - interval '1 second' WHERE id = $1", [
        caseId,
      ]);
      expect(await findCase(database, caseId)).toMatchObject({ claimedBy: null, claimedUntil: null });
      expect(await claimCase(database, caseId, 'e')).toMatchObject({ claimedBy: 'e' });
      // whoever asks, the pages or the API: each claim and release is told, and nothing that was refused
      const told = (await listAudit(database, { subject: caseId, limit: 10 })).map(({ who, action }) => [who, action]);
      expect(told.reverse()).toEqual([
        ...[
          [claimedBy, 'claimed'],
          [claimedBy, 'released'],
          [other, 'claimed'],
          ['e', 'claimed'],
        ],
      ]);
    });

    test('rulings and the audit log are appended, and nothing else', async () => {
      const { caseId } = await reviewable(database);
      const given = { caseId, ruling: 'unsure', technique: null, note: '\u0000', reviewer: 'a', bulk: false } as const;
      const ruling = await saveRuling(database, { ...given, undoes: null, idempotencyKey: `k-${caseId}` });
      expect(await findRulings(database, caseId)).toEqual([ruling]);
      const twice = saveRuling(database, { ...given, undoes: null, idempotencyKey: `k-${caseId}` });
      await expect(twice).rejects.toMatchObject({ code: 'conflict' });
      await saveAudit(database, { who: 'a', action: 'ruled', subject: caseId, detail: { ruling: 'unsure' } });
      await noteOpened(database, caseId, 'a');
      await noteOpened(database, caseId, 'a');
      const log = await listAudit(database, { subject: caseId, limit: 10 });
      expect(log.map(({ who, action }) => [who, action])).toEqual([
        ['a', 'opened'],
        ['a', 'ruled'],
      ]);
      for (const table of ['review_rulings', 'audit_log']) {
        await expect(database.query(`DELETE FROM ${table}`)).rejects.toThrow(/appended, never changed/);
      }
      await expect(
        saveRuling(database, { ...given, ruling: 'cheat', undoes: null, idempotencyKey: null }),
      ).rejects.toThrow(/check constraint/);
    });

    test('a hand-in that no rule asks about has no case', async () => {
      const { verdict } = await rewardedHandIn(database);
      expect(await database.query('SELECT 1 FROM review_cases WHERE verdict_id = $1', [verdict.id])).toEqual([]);
    });
  });
}
