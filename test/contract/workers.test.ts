import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findDueSteps, listOpen, saveAttempt } from '../../src/pipeline/work-store.ts';
import { openWorker, type Worker } from '../../src/pipeline/worker-store.ts';
import { ProctorError } from '../../src/platform/base/errors.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { createLog } from '../../src/platform/base/log.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/open-database.ts';
import { onBothDatabases } from '../support/both-databases.ts';
import { storedHandIn } from '../support/evidence-rows.ts';

await onBothDatabases((name, where) => {
  describe(`workers over one database: ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openDatabase(where);
    });
    afterAll(() => database.close());

    /** A worker whose signs of life, after the first, are not stored: it lives as long as a lease unless it is told to die. */
    const enter = async (id = newId('wrk')) => {
      const silent: Database = {
        ...database,
        query: async (sql, ...rest) => (sql.includes('SET seen_at') ? [] : database.query(sql, ...rest)),
      };
      return {
        id,
        worker: await openWorker(silent, { id, name: 'test', grades: true, sole: false, log: createLog('silent') }),
      };
    };
    const nothing = async () => undefined;
    const handIn = () => storedHandIn(database);
    /** As if its process had been gone for a while. */
    const die = (id: string) =>
      database.query("UPDATE workers SET seen_at = now() - interval '10 seconds' WHERE id = $1", [id]);
    const due = async () => (await findDueSteps(database, 1_000)).map(({ id }) => id);
    const held = (worker: Worker, id: string) => worker.claim(id).then((claim) => claim as NonNullable<typeof claim>);

    test('a hand-in is due from the moment it is stored, and nobody else’s while one works on it', async () => {
      const [one, other] = [await enter(), await enter()];
      const id = await handIn();
      expect(await due()).toContain(id);
      const claim = await held(one.worker, id);
      expect(await due()).not.toContain(id);
      expect(await other.worker.claim(id)).toBeNull();
      await claim.release();
      expect(await due()).toContain(id);
      expect(await other.worker.claim(id)).not.toBeNull();
    });

    test('what waits is listed with who has it and what failed', async () => {
      const one = await enter();
      const id = await handIn();
      const mine = async (failedOnly: boolean) =>
        (await listOpen(database, { failedOnly, limit: 999 })).find((open) => open.id === id);
      expect(await mine(false)).toMatchObject({ task: 'test/none', worker: null, tries: 0, step: null, code: null });
      expect(await mine(true)).toBeUndefined();
      const claim = await held(one.worker, id);
      await saveAttempt(database, { step: 'grade', id }, new ProctorError('sandbox-failed', 'first'));
      await saveAttempt(database, { step: 'grade', id }, new ProctorError('disk-full', 'second'));
      expect(await mine(true)).toMatchObject({
        worker: 'test',
        tries: 2,
        step: 'grade',
        code: 'disk-full',
        message: 'second',
      });
      await claim.release();
      expect(await mine(true)).toMatchObject({ worker: null, tries: 2 });
    });

    test('of many who ask at once one gets it', async () => {
      const workers = await Promise.all(Array.from({ length: 5 }, () => enter()));
      const id = await handIn();
      const claims = await Promise.all(workers.map(({ worker }) => worker.claim(id)));
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    });

    test('the work of a dead worker is due again, and what it stores late is refused', async () => {
      const [one, other] = [await enter(), await enter()];
      const id = await handIn();
      const late = await held(one.worker, id);
      await late.store(nothing);
      await die(one.id);
      expect(await due()).toContain(id);
      const next = await held(other.worker, id);
      await expect(late.store(nothing)).rejects.toMatchObject({ code: 'lease-lost' });
      await late.release();
      await next.store(nothing);
      expect(await due()).not.toContain(id);
    });

    test('the work of a worker that has ended is due at once', async () => {
      const { worker } = await enter();
      const id = await handIn();
      await worker.claim(id);
      await worker.end();
      expect(await due()).toContain(id);
    });

    test('a worker takes nothing twice', async () => {
      const { worker } = await enter();
      const id = await handIn();
      const claim = await held(worker, id);
      expect(await worker.claim(id)).toBeNull();
      await claim.store(nothing);
      await claim.release();
      expect(await worker.claim(id)).not.toBeNull();
    });

    test('what could not be given back while the database was away is free some seconds later', async () => {
      let answers = true;
      const flaky: Database = {
        ...database,
        query: (...asked) => (answers ? database.query(...asked) : Promise.reject(new Error('away'))),
      };
      const worker = await openWorker(flaky, {
        id: newId('wrk'),
        name: 'test',
        grades: true,
        sole: false,
        log: createLog('silent'),
      });
      const id = await handIn();
      const claim = await held(worker, id);
      answers = false;
      await expect(claim.release()).rejects.toThrow('away');
      expect(await due()).not.toContain(id);
      answers = true;
      await vi.waitFor(async () => expect(await due()).toContain(id), { timeout: 20_000, interval: 200 });
      await worker.end();
    });

    test('what has its reward is no longer due', async () => {
      const { worker } = await enter();
      const id = await handIn();
      const claim = await held(worker, id);
      for (const sql of [
        "INSERT INTO grades (id, artifact_id, round, body, digest) VALUES ('g' || $1, $1, 1, '{}', 'd')",
        "INSERT INTO verdicts (id, artifact_id, grade_id, body, digest) VALUES ('v' || $1, $1, 'g' || $1, '{}', 'd')",
        `INSERT INTO policies (digest, name, source) SELECT 'sha256:p', 'p', $1 ON CONFLICT DO NOTHING`,
        "INSERT INTO decisions (id, verdict_id, policy_digest, body, digest) VALUES ('d' || $1, 'v' || $1, 'sha256:p', '{}', 'd')",
        "INSERT INTO rewards (id, artifact_id, decision_id, body, digest) VALUES ('r' || $1, $1, 'd' || $1, '{}', 'd')",
      ]) {
        await database.query(sql, [id]);
      }
      await claim.release();
      expect(await due()).not.toContain(id);
      expect(await worker.claim(id)).toBeNull();
    });

    test('where the database serves one process, nobody else can be alive', async () => {
      const { worker } = await enter();
      const id = await handIn();
      await worker.claim(id);
      await openWorker(database, {
        id: newId('wrk'),
        name: 'next',
        grades: true,
        sole: true,
        log: createLog('silent'),
      });
      expect(await due()).toContain(id);
    });
  });
});
