import { ProctorError } from '../platform/base/errors.ts';
import type { Log } from '../platform/base/log.ts';
import type { Database, Queryable } from '../platform/db/database.ts';

/** How often a worker says that it lives, and how long after that its work is another's to take. */
const HEARTBEAT_MS = 2_000;
const LEASE_SECONDS = 6;
/** A claim that is older and that this process knows nothing of is left from a time when the database was away. */
const SETTLED_SECONDS = 10;

/** SQL: a row of `workers` that has given a sign of life. */
export const IS_ALIVE = `workers.ended_at IS NULL AND workers.seen_at > now() - make_interval(secs => ${LEASE_SECONDS})`;
const ALIVE = `SELECT 1 FROM workers WHERE workers.id = work.worker_id AND ${IS_ALIVE}`;

/** SQL: a row of `work` that nobody who lives has claimed. */
export const UNCLAIMED = `(work.worker_id IS NULL OR NOT EXISTS (${ALIVE}))`;

/** SQL: a row of `work` whose hand-in belongs to a cancelled run. */
const IS_CANCELLED = `EXISTS (
  SELECT 1 FROM artifacts a JOIN runs ON runs.id = a.run_id WHERE a.id = work.artifact_id AND runs.state = 'cancelled'
)`;

/** One worker's hold on one hand-in. */
export interface Claim {
  /** Stores something in one transaction: `lease-lost`, and nothing stored, when another worker has taken the hand-in over meanwhile. */
  store<T>(run: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** Gives the hand-in back; one that has its reward is no longer due. */
  release(): Promise<void>;
}

/** This process among those that work on one database. */
export interface Worker {
  /** Takes a hand-in that is due, or gives null when somebody has it (another worker, or this one) or nothing is due. */
  claim(artifactId: string): Promise<Claim | null>;
  /** Says that it has ended, so that what it still held is free at once. */
  end(): Promise<void>;
}

/** What a process says of itself when it is entered. */
interface NewWorker {
  readonly id: string;
  readonly name: string;
  readonly grades: boolean;
  /** Where others reach its workspaces; by default nowhere. */
  readonly address?: string | null;
  readonly sole: boolean;
  readonly log: Log;
}

/**
 * Enters this process as a worker and keeps it alive by a sign every two seconds, by the database's clock. `sole`: no other can be
 * alive, since the database serves one process. `grades` false: it is entered, but claims nothing.
 */
export async function openWorker(
  database: Database,
  { id, name, grades, address = null, sole, log }: NewWorker,
): Promise<Worker> {
  if (sole) await database.query('UPDATE workers SET ended_at = now() WHERE ended_at IS NULL');
  await database.query('INSERT INTO workers (id, name, grades, address) VALUES ($1, $2, $3, $4)', [
    ...[id, name, grades, address],
  ]);
  const working = new Set<string>();
  const timer = setInterval(() => {
    Promise.all([
      database.query('UPDATE workers SET seen_at = now() WHERE id = $1', [id]),
      // what could not be given back at its time, since the database was away; not what was claimed just now
      database.query(
        `UPDATE work SET worker_id = NULL WHERE worker_id = $1 AND NOT artifact_id = ANY($2::text[])
         AND claimed_at < now() - make_interval(secs => ${SETTLED_SECONDS})`,
        [id, [...working]],
      ),
    ]).catch((thrown) => log.warn({ err: thrown }, 'the sign of life was not stored'));
  }, HEARTBEAT_MS);
  timer.unref();
  return {
    async claim(artifactId) {
      if (working.has(artifactId)) return null;
      working.add(artifactId);
      const done = () => void working.delete(artifactId);
      try {
        const held = await claim(database, id, artifactId);
        if (held === null) done();
        return held && { store: held.store, release: () => held.release().finally(done) };
      } catch (thrown) {
        done();
        throw thrown;
      }
    },
    async end() {
      clearInterval(timer);
      await database
        .query('UPDATE workers SET ended_at = now() WHERE id = $1', [id])
        .catch((thrown) => log.warn({ err: thrown }, 'the end of this worker was not stored; its claims run out'));
    },
  };
}

async function claim(database: Database, workerId: string, artifactId: string): Promise<Claim | null> {
  const [row] = await database.query(
    `UPDATE work SET worker_id = $2, token = token + 1, claimed_at = now()
     WHERE artifact_id = $1 AND (worker_id = $2 OR ${UNCLAIMED}) AND NOT ${IS_CANCELLED} RETURNING token`,
    [artifactId, workerId],
  );
  if (row === undefined) {
    // of a cancelled run nothing is begun: it is due no more
    await database.query(`DELETE FROM work WHERE artifact_id = $1 AND ${UNCLAIMED} AND ${IS_CANCELLED}`, [artifactId]);
    return null;
  }
  const held = [artifactId, workerId, row.token];
  return {
    store: (run) =>
      database.transaction(async (transaction) => {
        const found = await transaction.query(
          'SELECT 1 FROM work WHERE artifact_id = $1 AND worker_id = $2 AND token = $3 FOR SHARE',
          held,
        );
        if (found.length > 0) return run(transaction);
        throw new ProctorError('lease-lost', `another worker has taken ${artifactId} over`, { artifactId });
      }),
    async release() {
      const gone = await database.query(
        `DELETE FROM work WHERE artifact_id = $1 AND worker_id = $2 AND token = $3
         AND EXISTS (SELECT 1 FROM rewards WHERE rewards.artifact_id = $1) RETURNING 1`,
        held,
      );
      if (gone.length > 0) return;
      await database.query(
        'UPDATE work SET worker_id = NULL WHERE artifact_id = $1 AND worker_id = $2 AND token = $3',
        held,
      );
    },
  };
}

/** Where the living process that has a session is reached; null where none is. */
export async function findAddressOf(database: Queryable, sessionId: string): Promise<string | null> {
  const [row] = await database.query(
    `SELECT workers.address FROM live_sessions l JOIN workers ON workers.id = l.worker_id
     WHERE l.session_id = $1 AND ${IS_ALIVE}`,
    [sessionId],
  );
  return typeof row?.address === 'string' ? row.address : null;
}

/** Where the living process with the fewest sessions is reached; null where none has workspaces for others. */
export async function findIdleAddress(database: Queryable): Promise<string | null> {
  const [row] = await database.query(
    `SELECT workers.address FROM workers
     WHERE workers.address IS NOT NULL AND ${IS_ALIVE}
     ORDER BY (SELECT count(*) FROM live_sessions l WHERE l.worker_id = workers.id), workers.id LIMIT 1`,
  );
  return typeof row?.address === 'string' ? row.address : null;
}

/** Whether a process has given a sign of life. */
export async function isWorkerAlive(database: Queryable, workerId: string): Promise<boolean> {
  const rows = await database.query(`SELECT 1 FROM workers WHERE id = $1 AND ${IS_ALIVE}`, [workerId]);
  return rows.length > 0;
}
