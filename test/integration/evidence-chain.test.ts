import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobParts } from '../../src/pipeline/job-parts.ts';
import { STEPS } from '../../src/pipeline/steps.ts';
import { findDueSteps } from '../../src/pipeline/work-store.ts';
import { digestOf } from '../../src/platform/base/digest.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { listEvidence } from '../../src/stages/evidence/evidence-store.ts';
import type { Sealer } from '../../src/stages/evidence/seal-evidence.ts';
import { verifyRecords } from '../../src/stages/evidence/verify-evidence.ts';
import { saveGrade } from '../../src/stages/grade/grade-store.ts';
import { findLatestVerdict } from '../../src/stages/verdict/verdict-store.ts';
import { onBothDatabases, type Where } from '../support/both-databases.ts';
import { storedHandIn, testSealer } from '../support/evidence-rows.ts';

await onBothDatabases(chainContract);

/** A hand-in that has a grade, so that judging is due. Nothing of it needs a sandbox. */
async function graded(database: Database): Promise<string> {
  const id = await storedHandIn(database);
  const body = { kind: 'ungraded', inputs: null, fault: 'platform', code: 'sandbox-failed', message: 'no' } as const;
  await saveGrade(database, { artifactId: id, round: 1, body });
  return id;
}

/** What both databases must do alike. */
function chainContract(name: string, where: Where): void {
  describe(`the chain of evidence: ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
    });
    afterAll(() => database.close());

    const sealer = testSealer();
    const judgeWith = (over: Database, id: string, by: Sealer = sealer) =>
      STEPS.judge.run(
        { database: over, sealer: by, made: {}, claim: { store: over.transaction } } as unknown as JobParts,
        id,
      );
    const chain = () => listEvidence(database, { after: 0, limit: 1_000 });

    test('verdicts written at once follow each other, each once, without a gap', async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => graded(database)));
      await Promise.all([...ids, ...ids].map((id) => judgeWith(database, id)));
      const records = await chain();
      expect(records.map(({ content }) => content.position)).toEqual(ids.map((_id, index) => index + 1));
      expect(verifyRecords(records).flatMap(({ failures }) => failures)).toEqual([]);
      expect(new Set(records.map(({ content }) => content.submission.id))).toEqual(new Set(ids));
    });

    // the embedded database lets in one process only
    const testWithTwo = 'url' in where ? test : () => undefined;
    testWithTwo('so they do when two processes write', async () => {
      const other = await openDatabase(where);
      const before = (await chain()).length;
      const ids = await Promise.all(Array.from({ length: 20 }, () => graded(database)));
      await Promise.all(ids.map((id, index) => judgeWith(index % 2 === 0 ? database : other, id)));
      await other.close();
      const records = await chain();
      expect(records).toHaveLength(before + ids.length);
      expect(verifyRecords(records).flatMap(({ failures }) => failures)).toEqual([]);
    });

    test('a verdict that is judged again keeps its record', async () => {
      const id = await graded(database);
      await judgeWith(database, id);
      const before = await chain();
      await judgeWith(database, id);
      expect(await chain()).toEqual(before);
    });

    test('where sealing fails there is no verdict either, and judging stays due', async () => {
      const id = await graded(database);
      const key = {
        ...sealer.key,
        sign: () => {
          throw new Error('the key is gone');
        },
      };
      await expect(judgeWith(database, id, { ...sealer, key })).rejects.toThrow('the key is gone');
      expect(await findLatestVerdict(database, id)).toBeNull();
      expect(await findDueSteps(database, 1_000)).toContainEqual({ step: 'judge', id, group: digestOf('task') });
      await judgeWith(database, id);
      expect((await chain()).at(-1)?.content.submission.id).toBe(id);
      expect(verifyRecords(await chain()).flatMap(({ failures }) => failures)).toEqual([]);
    });

    test('the database itself lets no two records follow the same one, and none be changed', async () => {
      const [row] = await database.query('SELECT * FROM evidence WHERE position = 2');
      const insert = (position: number, previous: unknown) =>
        database.query(
          'INSERT INTO evidence (position, verdict_id, previous, record, digest) VALUES ($1, $2, $3, $4::jsonb, $5)',
          [position, row?.verdict_id, previous, '{}', digestOf(String(position))],
        );
      await expect(insert(1_000, row?.previous)).rejects.toMatchObject({ details: { code: '23505' } });
      await expect(insert(1_000, null)).rejects.toMatchObject({ details: { code: '23514' } });
      await expect(insert(1_000, digestOf('nothing'))).rejects.toMatchObject({ code: 'defect' });
      for (const statement of ["UPDATE evidence SET digest = 'x'", 'DELETE FROM evidence', 'TRUNCATE evidence']) {
        await expect(database.query(statement)).rejects.toThrow(/appended, never changed/);
      }
    });
  });
}
