import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { bandKeys, likenessOf, type Print, type PrintKind, printBytes, printFromBytes } from './near-duplicate.ts';

/** A print of a session, and among whose it is looked for. */
export interface SessionPrint {
  readonly sessionId: string;
  readonly cohort: string;
  readonly kind: PrintKind;
  readonly print: Print;
}

/** A session that did, or handed in, much the same. */
export interface Alike {
  readonly sessionId: string;
  /** 0 to 1. */
  readonly likeness: number;
}

/**
 * Sessions that are read of one band, the newest: where thousands share a band they are alike, and any of them says so. Bounds what a look-up costs
 * whatever is stored.
 */
const MOST_OF_BAND = 8;

const rowSchema = z.object({ session: z.string(), print: z.instanceof(Uint8Array) });

/** Appends a print; the first one of a session and kind stays. */
export async function saveTrajectoryPrint(database: Database, one: SessionPrint): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(
      `WITH added AS (
         INSERT INTO trajectory_prints (session_id, kind, cohort, print) VALUES ($1, $2, $3, $4)
         ON CONFLICT (session_id, kind) DO NOTHING RETURNING id
       )
       INSERT INTO trajectory_bands (key, print_id) SELECT key, added.id FROM added, unnest($5::bigint[]) AS key
       ON CONFLICT DO NOTHING`,
      [one.sessionId, one.kind, one.cohort, printBytes(one.print), bandKeys(one.print, one)],
    ),
  );
}

/**
 * Sessions of the same cohort whose print shares a band with this one, the likest first, at most `limit`; never the session itself. One that is
 * less than half alike is often not found (see `BANDS`).
 */
export async function findAlike(database: Queryable, one: SessionPrint, limit: number): Promise<readonly Alike[]> {
  const rows = await database.query(
    `SELECT p.session_id AS session, p.print FROM (
       SELECT DISTINCT band.print_id FROM unnest($1::bigint[]) AS wanted (key)
       CROSS JOIN LATERAL (
         SELECT b.print_id FROM trajectory_bands b WHERE b.key = wanted.key ORDER BY b.print_id DESC LIMIT ${MOST_OF_BAND}
       ) AS band
     ) AS found JOIN trajectory_prints p ON p.id = found.print_id
     WHERE p.session_id <> $2 AND p.kind = $3 AND p.cohort = $4`,
    [bandKeys(one.print, one), one.sessionId, one.kind, one.cohort],
  );
  return rows
    .map((row) => {
      const { session, print } = rowSchema.parse(row);
      const stored = printFromBytes(print);
      if (stored === null) throw new ProctorError('digest-mismatch', `the print of session ${session} is cut off`);
      return { sessionId: session, likeness: likenessOf(one.print, stored) };
    })
    .sort((one, other) => other.likeness - one.likeness || (one.sessionId < other.sessionId ? -1 : 1))
    .slice(0, limit);
}
