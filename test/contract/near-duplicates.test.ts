import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { type Print, printOf } from '../../src/stages/profile/near-duplicate.ts';
import { findAlike, type SessionPrint, saveTrajectoryPrint } from '../../src/stages/profile/near-duplicate-store.ts';
import { onBothDatabases } from '../support/both-databases.ts';
import { sessionRows } from '../support/session-rows.ts';

const shingles = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `s${from + index}`);
const one = (sessionId: string, [from, to]: readonly [number, number], cohort = 'task'): SessionPrint => ({
  ...{ sessionId, cohort, kind: 'actions', print: printOf(shingles(from, to)) as Print },
});

await onBothDatabases((name, where) => {
  describe(`prints of sessions in ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
      const ids = Array.from({ length: 40 }, (_, index) => `s-${index}`);
      await sessionRows(database, [...ids, 'near', 'far', 'elsewhere', 'asking']);
    });
    afterAll(() => database.close());

    test('those that are alike are found, the likest first, of the same cohort and without the one that asks', async () => {
      await saveTrajectoryPrint(database, one('near', [0, 100]));
      await saveTrajectoryPrint(database, one('far', [500, 600]));
      await saveTrajectoryPrint(database, one('elsewhere', [0, 100], 'another task'));
      await saveTrajectoryPrint(database, one('asking', [3, 103]));
      const alike = await findAlike(database, one('asking', [3, 103]), 5);
      expect(alike.map(({ sessionId }) => sessionId)).toEqual(['near']);
      expect(alike[0]?.likeness).toBeGreaterThan(0.75);
    });

    test('the first print of a session stays', async () => {
      await saveTrajectoryPrint(database, one('near', [900, 990]));
      expect(await findAlike(database, one('asking', [900, 990]), 5)).toEqual([]);
    });

    test('many that are the same cost a look-up no more than a few of them, and no more than asked for come back', async () => {
      for (let at = 0; at < 40; at++) await saveTrajectoryPrint(database, one(`s-${at}`, [2_000, 2_100]));
      const rows: number[] = [];
      const counting = {
        query: async (sql: string, parameters?: readonly unknown[]) => {
          const found = await database.query(sql, parameters);
          rows.push(found.length);
          return found;
        },
      };
      expect(await findAlike(counting, one('asking', [2_000, 2_100]), 3)).toHaveLength(3);
      expect(rows).toEqual([8]);
    });
  });
});
