import type { Database } from '../../src/platform/db/database.ts';

/** Rows of sessions that never ran, so that other rows may point at them; each call adds new ones. */
export async function sessionRows(database: Database, ids: readonly string[]): Promise<void> {
  await database.script(`
    INSERT INTO tasks (digest, name, files) VALUES ('task-of-rows', 'test/rows', '[]') ON CONFLICT DO NOTHING;
    INSERT INTO instances (id, task_digest, seed, seed_drawn, parameters, digest)
      VALUES ('inst-of-rows', 'task-of-rows', 's', true, '{}', 'd') ON CONFLICT DO NOTHING;`);
  for (const id of ids) {
    await database.query(
      `INSERT INTO sessions (id, instance_id, origin, body) VALUES ($1, 'inst-of-rows', 'workspace', '{}')`,
      [id],
    );
  }
}
