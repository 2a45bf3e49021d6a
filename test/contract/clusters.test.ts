import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { clusterSessions } from '../../src/stages/profile/cluster-sessions.ts';
import { clusterStates, findClustering, ruleCluster, saveClustering } from '../../src/stages/profile/cluster-store.ts';
import { shapeOf } from '../../src/stages/profile/measure-rarity.ts';
import { madeUp, seeded } from '../support/behaviours.ts';
import { onBothDatabases } from '../support/both-databases.ts';

const random = seeded(5);
const sessions = Array.from({ length: 30 }, (_, at) => ({ session: `s-${at}`, values: shapeOf(madeUp(random)) }));
const clustering = clusterSessions(sessions, { cohort: 'task', previous: null });
const label = clustering.clusters[0]?.label ?? '';
const ruling = { cohort: 'task', label, reviewer: 'somebody', note: '' };

await onBothDatabases((name, where) => {
  describe(`clusters in ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
    });
    afterAll(() => database.close());

    test('are found as they were stored, once, and only for their cohort', async () => {
      expect(await findClustering(database, 'task')).toBeNull();
      const digest = await saveClustering(database, clustering);
      expect(await saveClustering(database, clustering)).toBe(digest);
      expect(await findClustering(database, 'task')).toEqual({ digest, clustering });
      expect(await findClustering(database, 'another')).toBeNull();
    });

    test('what was said last of one counts, and what was said before stays', async () => {
      await ruleCluster(database, { ...ruling, state: 'reviewed-honest' });
      await ruleCluster(database, { ...ruling, state: 'reviewed-cheat' });
      expect(await clusterStates(database, 'task')).toEqual(new Map([[label, 'reviewed-cheat']]));
      expect(await clusterStates(database, 'another')).toEqual(new Map());
      expect(await database.query('SELECT count(*)::int AS n FROM cluster_rulings')).toEqual([{ n: 2 }]);
    });

    test('nothing can be said of a cluster that there is not', async () => {
      const refused = ruleCluster(database, { ...ruling, label: 'c99', state: 'reviewed-honest' });
      await expect(refused).rejects.toMatchObject({ code: 'not-found' });
    });

    test('one that was changed in its place is refused', async () => {
      await database.query(`UPDATE clusterings SET body = replace(body, '"sessions":30', '"sessions":31')`);
      await expect(findClustering(database, 'task')).rejects.toMatchObject({ code: 'digest-mismatch' });
      await database.query(`UPDATE clusterings SET body = '{}'`);
      await expect(findClustering(database, 'task')).rejects.toMatchObject({ code: 'conflict' });
    });
  });
});
