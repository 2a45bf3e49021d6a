import pg from 'pg';
import type { Database, RawRow } from './database.ts';
import { databaseError, guarded } from './database-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** PostgreSQL on a server, by connection URL. Throws `database-unavailable` when it does not answer. */
export async function openServerDatabase(url: string): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  pool.on('error', () => undefined); // an idle connection that breaks is replaced at the next query
  const database: Database = {
    kind: 'server',
    query: (sql, parameters = []) => guarded(async () => (await pool.query<RawRow>(prepared(sql, parameters))).rows),
    transaction: (run) => inTransaction(pool, run),
    script: (sql) => guarded(async () => void (await pool.query(sql))),
    close: () => pool.end(),
  };
  try {
    await database.query('SELECT 1');
    return database;
  } catch (thrown) {
    await pool.end().catch(() => undefined);
    throw thrown;
  }
}

async function inTransaction<T>(pool: pg.Pool, run: Parameters<Database['transaction']>[0]): Promise<T> {
  const client = await guarded(() => pool.connect());
  client.on('error', ignore); // told by the statement that meets it
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await run({
      query: (sql, parameters = []) =>
        guarded(async () => (await client.query<RawRow>(prepared(sql, parameters))).rows),
    });
    await client.query('COMMIT');
    return result as T;
  } catch (thrown) {
    const broken = await client.query('ROLLBACK').then(
      () => undefined,
      (cause: Error) => cause,
    );
    failure = broken;
    throw databaseError(thrown);
  } finally {
    client.off('error', ignore);
    client.release(failure);
  }
}

const names = new Map<string, string>();

/** A statement under a name, by which the server keeps its plan for the connection. Statements are texts of ours: they are few. */
function prepared(text: string, parameters: readonly unknown[]): pg.QueryConfig {
  const values = [...parameters];
  if (values.length === 0) return { text };
  const name = names.get(text) ?? `proctor-${names.size}`;
  names.set(text, name);
  return { name, text, values };
}

function ignore(): void {}
