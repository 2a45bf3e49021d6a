import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { showMap } from '../../src/bin/show-map.ts';
import type { Blobs } from '../../src/platform/blobs/blobs.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { clusterSessions } from '../../src/stages/profile/cluster-sessions.ts';
import { ruleCluster, saveClustering } from '../../src/stages/profile/cluster-store.ts';
import { makeProfile } from '../../src/stages/profile/make-profile.ts';
import { shapeOf } from '../../src/stages/profile/measure-rarity.ts';
import { saveProfile } from '../../src/stages/profile/profile-store.ts';
import { listJudged } from '../../src/stages/review/judged-store.ts';
import { madeUp, seeded } from '../support/behaviours.ts';
import { onBothDatabases } from '../support/both-databases.ts';
import { reviewable, rewardedHandIn } from '../support/review-rows.ts';
import { sessionRows } from '../support/session-rows.ts';

const TASK = 'test/rows';
/** Nothing is read of it: the profiles that are needed are stored. */
const blobs = {} as Blobs;

await onBothDatabases((name, where) => {
  describe(`sessions that are alike in ${name}`, () => {
    let database: Database;
    const behaviours = new Map<string, ReturnType<typeof madeUp>>();
    const ids = Array.from({ length: 24 }, (_, at) => `sess_${String(at).padStart(29, '0')}`);
    const [first = '', second = '', third = ''] = ids;
    const late = `sess_${'9'.repeat(29)}`;
    beforeAll(async () => {
      database = await openDatabase(where);
      const random = seeded(7);
      for (const id of [...ids, late]) behaviours.set(id, madeUp(random));
      await sessionRows(database, [...ids, late]);
    });
    afterAll(() => database.close());

    const ends = (session: string, artifact: string | null) =>
      database.query(`INSERT INTO session_ends (session_id, artifact_id, body) VALUES ($1, $2, '{}')`, [
        session,
        artifact,
      ]);

    test('there is no map before they were clustered', async () => {
      expect(await showMap({ database, blobs }, first, TASK)).toBeNull();
    });

    test('lead to their case, or to their verdict where nobody was asked, or nowhere without one', async () => {
      const withCase = await reviewable(database);
      const without = await rewardedHandIn(database);
      await ends(first, withCase.artifactId);
      await ends(second, without.artifactId);
      await ends(third, null);
      const judged = new Map((await listJudged(database, ids)).map((each) => [each.session, each]));
      expect(judged.get(first)).toMatchObject({ verdict: withCase.verdict.id, case: withCase.caseId, ruling: null });
      expect(judged.get(second)).toMatchObject({ verdict: without.verdict.id, case: null, outcome: 'passed' });
      expect(judged.has(third)).toBe(false);
      expect(await listJudged(database, [])).toEqual([]);
    });

    test('stand on the map with what people said of their cluster, and their neighbours without themselves', async () => {
      const values = (id: string) => shapeOf(behaviours.get(id) ?? madeUp(seeded(1)));
      const clustering = clusterSessions(
        ids.map((session) => ({ session, values: values(session) })),
        { cohort: TASK, previous: null },
      );
      await saveClustering(database, clustering);
      const label = clustering.clusters[0]?.label ?? '';
      await ruleCluster(database, { cohort: TASK, label, state: 'reviewed-honest', reviewer: 'somebody', note: '' });
      const member = clustering.points.find((point) => point.label === label)?.session ?? '';
      const map = await showMap({ database, blobs }, member, TASK);
      expect(map).toMatchObject({ isMember: true, marked: { label } });
      expect(map?.clusters.find((each) => each.label === label)?.state).toBe('reviewed-honest');
      const inCluster = new Set(clustering.points.filter((each) => each.label === label).map(({ session }) => session));
      const near = map?.neighbours.map(({ session }) => session) ?? [];
      expect(near.length).toBeGreaterThan(0);
      expect(near.every((session) => inCluster.has(session) && session !== member)).toBe(true);
    });

    test('one that came later is placed by its stored profile', async () => {
      const body = makeProfile({
        ...{ cohort: TASK, window: null, behaviour: behaviours.get(late) ?? madeUp(seeded(1)), isRecorded: true },
        ...{ reference: null, group: [], gate: 0, isCorroborated: false },
      });
      await saveProfile(database, { sessionId: late, artifactId: null, body });
      const map = await showMap({ database, blobs }, late, TASK);
      expect(map?.isMember).toBe(false);
      expect(Number.isFinite(map?.marked.x)).toBe(true);
      expect(map?.neighbours.length).toBeGreaterThan(0);
    });
  });
});
