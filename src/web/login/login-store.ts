import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';

/** Roles that may see the pages. */
export const WEB_ROLES = ['reviewer', 'admin'] as const;

const viewerSchema = z.object({ name: z.string(), role: z.enum(WEB_ROLES), keyId: z.string().nullable() });
/** Who looks at the pages. */
export type Viewer = Readonly<z.infer<typeof viewerSchema>>;

/** Notes that somebody is logged in for so many seconds; forgets those whose time is over. */
export async function saveLogin(
  database: Queryable,
  login: { readonly digest: string; readonly viewer: Viewer; readonly seconds: number },
): Promise<void> {
  const { digest, viewer, seconds } = login;
  await database.query('DELETE FROM web_sessions WHERE expires_at < now()');
  await database.query(
    `INSERT INTO web_sessions (digest, name, role, key_id, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [digest, viewer.name, viewer.role, viewer.keyId, seconds],
  );
}

/** Who is logged in under a digest; null when nobody is, the time is over, or the key was revoked. */
export async function findLogin(database: Queryable, digest: string): Promise<Viewer | null> {
  const [row] = await database.query(
    `SELECT s.name, s.role, s.key_id AS "keyId" FROM web_sessions s LEFT JOIN api_keys k ON k.id = s.key_id
     WHERE s.digest = $1 AND s.expires_at > now() AND k.revoked_at IS NULL`,
    [digest],
  );
  return row === undefined ? null : viewerSchema.parse(row);
}

/** Logs out. */
export async function removeLogin(database: Queryable, digest: string): Promise<void> {
  await database.query('DELETE FROM web_sessions WHERE digest = $1', [digest]);
}
