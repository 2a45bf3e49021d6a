import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { ProctorError } from '../base/errors.ts';
import type { Database, Queryable, RawRow } from './database.ts';
import { databaseError, guarded } from './database-error.ts';
import { lockFile } from './lock-file.ts';

/** A new embedded database takes about 40 MB; opening one on less would leave half of it. */
const NEEDED_BYTES = 96 * 1024 * 1024;

/**
 * PostgreSQL inside this process (PGlite), kept in a folder. One process at a time: `database-locked` otherwise.
 * The lock is the kernel's on `FOLDER/lock`, so it is gone when its holder is, however that ended.
 */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true });
  const lock = await lockFile(join(folder, 'lock'));
  try {
    await refuseFullDisk(folder);
    const pglite = await PGlite.create({ dataDir: join(folder, 'pglite') });
    return embedded(pglite, lock.release);
  } catch (thrown) {
    await lock.release();
    throw databaseError(thrown);
  }
}

function embedded(pglite: PGlite, release: () => Promise<void>): Database {
  return {
    kind: 'embedded',
    ...queryable(pglite),
    transaction: (run) => guarded(() => pglite.transaction((transaction) => run(queryable(transaction)))),
    script: (sql) => guarded(async () => void (await pglite.exec(sql))),
    async close() {
      await pglite.close();
      await release();
    },
  };
}

function queryable(vendor: PGlite | Transaction): Queryable {
  return {
    query: (sql, parameters = []) => guarded(async () => (await vendor.query<RawRow>(sql, [...parameters])).rows),
  };
}

async function refuseFullDisk(folder: string): Promise<void> {
  const facts = await statfs(folder);
  const freeBytes = facts.bavail * facts.bsize;
  if (freeBytes >= NEEDED_BYTES) return;
  throw new ProctorError(
    'disk-full',
    `${folder} has ${Math.floor(freeBytes / 1e6)} MB free; the embedded database needs ${Math.ceil(NEEDED_BYTES / 1e6)} MB`,
  );
}
