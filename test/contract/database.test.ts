import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openService } from '../../src/bin/open-service.ts';
import { submit } from '../../src/pipeline/submit.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { type Database, jsonParameter } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { onBothDatabases, type Where } from '../support/both-databases.ts';
import { scratchFolder, testConfig } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const postgres = await onBothDatabases(databaseContract);

/** What both databases must do alike. */
function databaseContract(name: string, where: Where): void {
  describe(`database contract: ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
      await database.script('CREATE TABLE contract (id integer PRIMARY KEY, body jsonb, at timestamptz DEFAULT now())');
    });
    afterAll(() => database.close());

    test('values come back in the same JavaScript types', async () => {
      const body = { text: 'ä"\\', list: [1, 2.5, null, true], nested: { a: [] } };
      await database.query('INSERT INTO contract (id, body) VALUES ($1, $2::jsonb)', [1, jsonParameter(body)]);
      const [row] = await database.query(
        'SELECT id, body, at, count(*) OVER ()::int AS n, id = 1 AS yes FROM contract WHERE id = $1',
        [1],
      );
      expect(row).toMatchObject({ id: 1, body, n: 1, yes: true });
      expect(row?.at).toBeInstanceOf(Date);
    });

    test('text that jsonb cannot hold is made storable', async () => {
      await database.query('INSERT INTO contract (id, body) VALUES ($1, $2::jsonb)', [
        2,
        jsonParameter({ nul: 'a\u0000b', half: '\ud800', 'k\u0000': [{ '\udfff': 1 }] }),
      ]);
      expect((await database.query('SELECT body FROM contract WHERE id = 2'))[0]?.body).toEqual({
        nul: 'a\ufffdb',
        half: '\ufffd',
        'k\ufffd': [{ '\ufffd': 1 }],
      });
    });

    test('a transaction that throws leaves nothing, and the error is the one thrown', async () => {
      const thrown = database.transaction(async (transaction) => {
        await transaction.query('INSERT INTO contract (id) VALUES (3)');
        await transaction.query('SELECT 1/0');
      });
      await expect(thrown).rejects.toMatchObject({ code: 'defect', details: { code: '22012' } });
      expect(await database.query('SELECT id FROM contract WHERE id = 3')).toEqual([]);
      expect(await database.transaction(async (transaction) => (await transaction.query('SELECT 7 AS n'))[0]?.n)).toBe(
        7,
      );
    });

    test('a conflict is left alone when asked for, and an error otherwise', async () => {
      await database.query('INSERT INTO contract (id) VALUES (1) ON CONFLICT (id) DO NOTHING');
      await expect(database.query('INSERT INTO contract (id) VALUES (1)')).rejects.toMatchObject({
        details: { code: '23505' },
      });
    });

    test('migrations run once; one that was changed afterwards, or that a newer program made, is refused', async () => {
      await migrate(database);
      await database.query("UPDATE schema_migrations SET digest = 'sha256:other' WHERE name = '001_foundation.sql'");
      await expect(migrate(database)).rejects.toThrow(/changed after it was applied/);
      await database.query("INSERT INTO schema_migrations (name, digest) VALUES ('999_later.sql', 'sha256:later')");
      await expect(migrate(database)).rejects.toMatchObject({
        code: 'invalid-config',
        message: expect.stringContaining('newer than this program (it has 999_later.sql)'),
      });
    });
  });
}

describe.skipIf(postgres === null)('a service on a PostgreSQL server', () => {
  test('grades, goes on after the server crashed and came back, and loses nothing', async () => {
    const server = postgres as NonNullable<typeof postgres>;
    const folder = await scratchFolder();
    const url = server.url.replace(/\/postgres$/, '/template1');
    const service = await openService(testConfig(folder.path, { PROCTOR_DATABASE_URL: url }), createLog('silent'));
    const task = await loadTask(await writeTinyTask(join(folder.path, 'task')));
    await saveTask(service.parts, task);
    const files = [{ path: 'double.py', bytes: Buffer.from(RIGHT), executable: false }];
    const handIn = async () => {
      const { id: instanceId } = await saveInstance(service.parts.database, makeInstance(task));
      return submit(service.parts, service.pipeline, { instanceId, handIn: { files } });
    };
    const first = await handIn();
    server.crash();
    await expect(service.parts.database.query('SELECT 1')).rejects.toMatchObject({ code: 'database-unavailable' });
    server.start();
    const second = await handIn();
    for (const { id } of [first, second]) {
      const reward = await waitForReward(service.parts.database, id, performance.now() + 30_000);
      expect(reward?.body).toMatchObject({ status: 'scored', reward: 1 });
    }
    const [counts] = await service.parts.database.query(
      'SELECT (SELECT count(*)::int FROM grades) AS grades, (SELECT count(*)::int FROM rewards) AS rewards',
    );
    expect(counts).toEqual({ grades: 2, rewards: 2 });
    await service.close();
    await folder.dispose();
  });
});
