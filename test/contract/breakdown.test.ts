import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { BREAKDOWNS, listBreakdown } from '../../src/stages/review/breakdown-store.ts';
import { weightsByDay } from '../../src/stages/review/dashboard-store.ts';
import { BreakdownView } from '../../src/web/dashboard/breakdown-view.tsx';
import { onBothDatabases } from '../support/both-databases.ts';
import { rewardedHandIn, SUSPECT } from '../support/review-rows.ts';

const HOSTILE = '<svg onload=alert(1)>';

await onBothDatabases((name, where) => {
  describe(`shares over time in ${name}`, () => {
    let database: Database;
    /** Two rewards of one run today, one of another run five days ago; one of three has no flag and another rule. */
    beforeAll(async () => {
      database = await openDatabase(where);
      const odd = { flags: [], weight: 0.5, rules: [{ id: HOSTILE, weight: 0.5 }] };
      const handIns = [
        { run: 'run-1', days: 0, decision: SUSPECT },
        { run: 'run-1', days: 0, decision: odd },
        { run: 'run-2', days: 5, decision: SUSPECT },
      ];
      await database.query(`INSERT INTO runs (id) VALUES ('run-1'), ('run-2')`);
      for (const { run, days, decision } of handIns) {
        const { artifactId } = await rewardedHandIn(database, { decision });
        await database.query('UPDATE artifacts SET run_id = $2 WHERE id = $1', [artifactId, run]);
        await database.query(
          'UPDATE rewards SET created_at = now() - make_interval(days => $2) WHERE artifact_id = $1',
          [artifactId, days],
        );
      }
    });
    afterAll(() => database.close());

    test('are told by run, with the share flagged and the mean weight of each day', async () => {
      const cells = await listBreakdown(database, 'run', { days: 30 });
      expect(
        cells.map(({ key, rewards, flaggedShare, meanWeight }) => [key, rewards, flaggedShare, meanWeight]),
      ).toEqual([
        ['run-1', 2, 0.5, 0.75],
        ['run-2', 1, 1, 1],
      ]);
    });

    test('are told by rule, of what it fired on', async () => {
      const cells = await listBreakdown(database, 'rule', { days: 30, run: 'run-1' });
      expect(new Map(cells.map(({ key, rewards, meanWeight }) => [key, [rewards, meanWeight]]))).toEqual(
        new Map([
          [HOSTILE, [1, 0.5]],
          ['suspect-is-flagged', [1, 1]],
        ]),
      );
    });

    test('are told by task, and only of the days that are asked for', async () => {
      const all = await listBreakdown(database, 'task', { days: 30 });
      expect(all.reduce((sum, { rewards }) => sum + rewards, 0)).toBe(3);
      const lately = await listBreakdown(database, 'task', { days: 2 });
      expect(lately.reduce((sum, { rewards }) => sum + rewards, 0)).toBe(2);
      expect(await listBreakdown(database, 'task', { days: 30, task: 'another' })).toEqual([]);
    });

    test.each(BREAKDOWNS)('are drawn by %s with a table each, and a name that is hostile stays text', async (by) => {
      const days = await weightsByDay(database, { days: 30 });
      const cells = await listBreakdown(database, by, { days: 30 });
      const html = renderToString(h(BreakdownView, { by, days, cells }));
      const pictures = new Set(cells.map(({ key }) => key)).size;
      expect(html.match(/<table>/g)).toHaveLength(pictures);
      expect(html).not.toContain(HOSTILE);
      // of run 1 nothing is known on the day of run 2, and the other way round
      if (by === 'run') expect(html.match(/>–<\/td>/g)).toHaveLength(4);
    });
  });
});
