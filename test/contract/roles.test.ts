import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/api/keys.ts';
import { openService } from '../../src/bin/open-service.ts';
import { appealCase } from '../../src/pipeline/appeal-case.ts';
import { ruleCase } from '../../src/pipeline/rule-case.ts';
import { submit } from '../../src/pipeline/submit.ts';
import { undoRuling } from '../../src/pipeline/undo-ruling.ts';
import { createLog } from '../../src/platform/base/log.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { grantRoles, ROLE_RIGHTS } from '../../src/platform/db/roles.ts';
import { openServerDatabase } from '../../src/platform/db/server-database.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { findLatestReward } from '../../src/stages/reward/reward-store.ts';
import { waitForReward } from '../../src/stages/reward/reward-watch.ts';
import { saveAdmission } from '../../src/stages/task/admission-store.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';
import { soundAudit } from '../support/api-client.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { scratchFolder, testConfig } from '../support/test-service.ts';
import { RIGHT, writeTinyTask } from '../support/tiny-task.ts';

const postgres = await startPostgres();

if (postgres === null) {
  test.skip('roles: not tried, PostgreSQL is not installed; run scripts/setup.sh --server', () => undefined);
} else {
  rolesContract(postgres);
}

function rolesContract(server: PostgresServer): void {
  describe('roles of a server', () => {
    let owner: Database;
    const urlOf = (login: string) => server.url.replace('proctor@', `${login}@`);
    beforeAll(async () => {
      owner = await openDatabase({ url: server.url });
      await grantRoles(owner);
      await grantRoles(owner); // again, as an upgrade does
      for (const role of Object.keys(ROLE_RIGHTS)) {
        await owner.script(`CREATE ROLE ${role}_1 LOGIN IN ROLE ${role}; CREATE ROLE nobody_${role} LOGIN`);
      }
    });
    afterAll(async () => {
      await owner.close();
      await server.dispose();
    });

    test('every table is somebody’s: one that is added must be given to whom it is for', async () => {
      const rows = await owner.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
      const granted = Object.values(ROLE_RIGHTS).flatMap(({ SELECT }) => SELECT as readonly string[]);
      expect(rows.map(({ tablename }) => tablename)).toEqual([...new Set(granted)].sort());
    });

    test('an API and a worker do their work as members of their roles, and no more', async () => {
      const [data, folder] = [await scratchFolder(), await scratchFolder()];
      const open = (login: string, grades: boolean) =>
        openService(testConfig(data.path, { PROCTOR_DATABASE_URL: urlOf(login) }), createLog('silent'), { grades });
      const [api, worker] = [await open('proctor_api_1', false), await open('proctor_worker_1', true)];
      try {
        const task = await loadTask(await writeTinyTask(folder.path));
        await saveTask(api.parts, task);
        await saveAdmission(api.parts.database, soundAudit(task));
        await createKey(api.parts.database, { name: 'a', role: 'trainer' });
        const { id: instanceId } = await saveInstance(api.parts.database, makeInstance(task, { seed: 'roles' }));
        const files = [{ path: 'double.py', bytes: Buffer.from(RIGHT), executable: false }];
        const { id } = await submit(api.parts, api.pipeline, { instanceId, handIn: { files } });
        const reward = await waitForReward(api.parts.database, id, performance.now() + 30_000);
        expect(reward?.body).toMatchObject({ status: 'scored', reward: 1 });
        expect(await worker.parts.database.query('SELECT artifact_id FROM work')).toEqual([]);
        const { id: caseId } = await appealCase(api.parts, { verdictId: reward?.verdictId ?? '', who: 'a', why: 'no' });
        await ruleCase(api.parts, { caseId, reviewer: 'b', ruling: 'environment-fault', technique: null, note: '' });
        await undoRuling(api.parts, { caseId, reviewer: 'b' });
        expect((await findLatestReward(worker.parts.database, id))?.body).toEqual(reward?.body);
      } finally {
        await worker.close();
        await api.close();
        await Promise.all([data.dispose(), folder.dispose()]);
      }
    });

    const FORBIDDEN = [
      [
        'proctor_api_1',
        "INSERT INTO rewards (id, artifact_id, decision_id, body, digest) VALUES ('r', 'a', 'd', '{}', 'x')",
      ],
      [
        'proctor_api_1',
        "INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) VALUES ('v', 'a', 'g', '{}', 'x')",
      ],
      [
        'proctor_api_1',
        "INSERT INTO decisions (id, verdict_id, policy_digest, body, digest) VALUES ('d', 'v', 'p', '{}', 'x')",
      ],
      ['proctor_api_1', "INSERT INTO evidence (position, verdict_id, record, digest) VALUES (1, 'v', '{}', 'x')"],
      ['proctor_api_1', 'DELETE FROM review_cases'],
      ['proctor_reviewer_1', "UPDATE review_cases SET claimed_by = 'me'"],
      ['proctor_api_1', "UPDATE verdicts SET body = '{}'"],
      ['proctor_api_1', 'DELETE FROM work'],
      ['proctor_worker_1', 'SELECT * FROM api_keys'],
      ['proctor_worker_1', "INSERT INTO tasks (digest, name, files) VALUES ('d', 'n', '[]')"],
      ['proctor_worker_1', "UPDATE rewards SET body = '{}'"],
      ['proctor_worker_1', 'DELETE FROM grades'],
      ['proctor_worker_1', 'DROP TABLE rewards'],
      ['proctor_reviewer_1', 'DELETE FROM evidence'],
      ['proctor_reviewer_1', 'SELECT * FROM api_keys'],
    ] as const;
    test.each(FORBIDDEN)('%s may not: %s', async (login, sql) => {
      const database = await openServerDatabase(urlOf(login));
      await expect(database.query(sql)).rejects.toMatchObject({ details: { code: '42501' } });
      await database.close();
    });

    test('a login that may not make what is missing is told who may', async () => {
      await owner.script('CREATE DATABASE fresh');
      const url = urlOf('nobody_proctor_api').replace('/postgres', '/fresh');
      await expect(openDatabase({ url })).rejects.toMatchObject({
        code: 'invalid-config',
        message: expect.stringContaining('run proctor migrate as their owner'),
      });
    });
  });
}
