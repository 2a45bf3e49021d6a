import type { Database } from './database.ts';
import { openEmbeddedDatabase } from './embedded-database.ts';
import { migrate } from './migrate.ts';
import { openServerDatabase } from './server-database.ts';

/** Opens the database that the configuration names, with the schema up to date. */
export async function openDatabase(where: { url: string } | { folder: string }): Promise<Database> {
  const database = 'url' in where ? await openServerDatabase(where.url) : await openEmbeddedDatabase(where.folder);
  try {
    await migrate(database);
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}
