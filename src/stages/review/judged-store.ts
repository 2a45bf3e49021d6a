import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { STANDS } from '../verdict/verdict-store.ts';
import { RULINGS } from './review.ts';

const judgedSchema = z.object({
  session: z.string(),
  /** The verdict that stands on its hand-in. */
  verdict: z.string(),
  outcome: z.string(),
  integrity: z.string(),
  /** The newest case on it; null: nobody was asked to look. */
  case: z.string().nullable(),
  /** What a person ruled in it last; null: nothing yet. */
  ruling: z.enum(RULINGS).nullable(),
});

/** A session whose hand-in has a verdict, with where a person can see it. */
export type JudgedSession = Readonly<z.infer<typeof judgedSchema>>;

/** Of these sessions, those whose hand-ins have a verdict, in no order. */
export async function listJudged(
  database: Queryable,
  sessionIds: readonly string[],
): Promise<readonly JudgedSession[]> {
  const rows = await database.query(
    `SELECT e.session_id AS session, v.id AS verdict, v.body->>'outcome' AS outcome, v.body->>'integrity' AS integrity,
            c.id AS "case", c.ruling
     FROM session_ends e
     JOIN LATERAL (
       SELECT v.id, v.body FROM verdicts v JOIN grades g ON g.id = v.grade_id
       WHERE v.artifact_id = e.artifact_id AND ${STANDS} ORDER BY g.round DESC LIMIT 1
     ) v ON true
     LEFT JOIN LATERAL (
       SELECT id, ruling FROM review_cases WHERE artifact_id = e.artifact_id ORDER BY opened_at DESC, id DESC LIMIT 1
     ) c ON true
     WHERE e.session_id = ANY ($1::text[])`,
    [sessionIds],
  );
  return rows.map((row) => judgedSchema.parse(row));
}
