import { readdir, readFile } from 'node:fs/promises';
import { digestOf } from '../base/digest.ts';
import { ProctorError } from '../base/errors.ts';
import type { Database } from './database.ts';

const FOLDER = new URL('migrations/', import.meta.url);
/** Any number that no other program on this server uses for its advisory locks. */
const ADVISORY_LOCK = 7_620_113;
/** SQLSTATE (PostgreSQL, appendix A). */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Brings the schema up to date, each migration once, whoever runs it first; refuses a schema that drifted. */
export async function migrate(database: Database): Promise<void> {
  await makeTable(database);
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  await refuseNewer(database, names);
  for (const name of names) {
    const sql = await readFile(new URL(name, FOLDER), 'utf8');
    await applyOnce(database, { name, sql });
  }
}

/** Only where it is missing: a process may have the right to read it and none to make it. */
async function makeTable(database: Database): Promise<void> {
  const [found] = await database.query("SELECT to_regclass('schema_migrations') IS NOT NULL AS there");
  if (found?.there === true) return;
  await database
    .script(
      `CREATE TABLE IF NOT EXISTS schema_migrations
         (name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    .catch(refuseForbidden);
}

/** Who may not change the schema is told who may. */
function refuseForbidden(thrown: unknown): never {
  if (!(thrown instanceof ProctorError) || thrown.details.code !== INSUFFICIENT_PRIVILEGE) throw thrown;
  throw new ProctorError(
    'invalid-config',
    'the database lacks tables of this program, and this login may not make them; run proctor migrate as their owner',
    {},
    { cause: thrown },
  );
}

/** What a newer program has changed this one would misread. */
async function refuseNewer(database: Database, names: readonly string[]): Promise<void> {
  const rows = await database.query('SELECT name FROM schema_migrations ORDER BY name');
  const unknown = rows.map(({ name }) => String(name)).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new ProctorError(
    'invalid-config',
    `the database is newer than this program (it has ${unknown.join(', ')}): start the newer program, or restore the database`,
  );
}

async function applyOnce(database: Database, migration: { name: string; sql: string }): Promise<void> {
  const digest = digestOf(migration.sql);
  await database.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    const [row] = await transaction.query('SELECT digest FROM schema_migrations WHERE name = $1', [migration.name]);
    if (row?.digest === digest) return;
    if (row !== undefined) {
      throw new ProctorError('defect', `migration ${migration.name} was changed after it was applied`, { digest });
    }
    for (const statement of statementsOf(migration.sql)) await transaction.query(statement).catch(refuseForbidden);
    await transaction.query('INSERT INTO schema_migrations (name, digest) VALUES ($1, $2)', [migration.name, digest]);
  });
}

/** Our migrations end each statement, and nothing else, with `;` at a line's end. */
function statementsOf(sql: string): readonly string[] {
  return sql
    .split(/;\s*\n/)
    .map((statement) => statement.replace(/^--.*$/gm, '').trim())
    .filter((statement) => statement !== '');
}
