import { expect, test } from 'vitest';
import { digestOfJson } from '../../platform/base/digest.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { createRewardWatch } from './reward-watch.ts';

const ROW = {
  id: `rew_${'0'.repeat(29)}`,
  decisionId: `dec_${'0'.repeat(29)}`,
  verdictId: `ver_${'0'.repeat(29)}`,
  cases: { passed: 1, total: 1 },
  createdAt: new Date(0),
  body: {
    ...{ status: 'scored', reward: 1, score: 1, trainWeight: 1, maskSample: false, failureKind: '', failureReason: '' },
    ...{ action: 'accept', flags: [] },
    verdict: { outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none' },
  },
};
const idOf = (n: number) => `sub_${String(n).padStart(29, '0')}`;

/** A table of rewards that fills while somebody waits; counts the queries that look for many. */
function table() {
  const rewarded = new Set<string>();
  const seen = { looks: 0, broken: false };
  const database: Queryable = {
    async query(sql, parameters = []) {
      if (seen.broken) throw new Error('the database is away');
      if (!sql.includes('ANY')) return [{ ...ROW, digest: digestOfJson(ROW.body), artifactId: parameters[0] }];
      seen.looks += 1;
      return (parameters[0] as string[]).filter((id) => rewarded.has(id)).map((id) => ({ id }));
    },
  };
  return { database, rewarded, seen };
}

const soon = () => performance.now() + 10_000;

test('a thousand that wait cost one query at a time, not a thousand', async () => {
  const { database, rewarded, seen } = table();
  const watch = createRewardWatch(database);
  const ids = Array.from({ length: 1_000 }, (_, n) => idOf(n));
  const waiting = Promise.all(ids.map((id) => watch.wait(id, soon())));
  await expect.poll(() => seen.looks).toBeGreaterThan(1);
  for (const id of ids) rewarded.add(id);
  const rows = await waiting;
  expect(rows.map((row) => row?.artifactId)).toEqual(ids);
  expect(seen.looks).toBeLessThan(50);
});

test('who is not rewarded by the deadline gets null, and the others go on waiting', async () => {
  const { database, rewarded } = table();
  const watch = createRewardWatch(database);
  const patient = watch.wait(idOf(1), soon());
  expect(await watch.wait(idOf(2), performance.now() + 20)).toBeNull();
  rewarded.add(idOf(1));
  expect((await patient)?.artifactId).toBe(idOf(1));
});

test('a deadline in the past still gets one look', async () => {
  const { database, rewarded } = table();
  rewarded.add(idOf(1));
  const watch = createRewardWatch(database);
  expect((await watch.wait(idOf(1), performance.now() - 1))?.artifactId).toBe(idOf(1));
  expect(await watch.wait(idOf(2), performance.now() - 1)).toBeNull();
});

test('a database that fails is told to all who wait, and the next may try again', async () => {
  const { database, rewarded, seen } = table();
  const watch = createRewardWatch(database);
  seen.broken = true;
  await expect(watch.wait(idOf(1), soon())).rejects.toThrow('the database is away');
  seen.broken = false;
  rewarded.add(idOf(1));
  expect((await watch.wait(idOf(1), soon()))?.artifactId).toBe(idOf(1));
});

test('while nobody waits nothing is asked', async () => {
  const { database, rewarded, seen } = table();
  rewarded.add(idOf(1));
  await createRewardWatch(database).wait(idOf(1), soon());
  const before = seen.looks;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(seen.looks).toBe(before);
});
