import { z } from 'zod';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';

/** What people do with cases, and what stops and starts runs. */
export const AUDIT_ACTIONS = [
  ...(['case-opened', 'opened', 'claimed', 'released', 'ruled', 'undone', 'appealed'] as const),
  ...(['run-active', 'run-paused', 'run-cancelled'] as const),
] as const;

const auditRowSchema = z.object({
  seq: z.coerce.number().int(),
  at: z.date(),
  who: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  /** Id of what it was done to. */
  subject: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
/** One line of the audit log. */
export type AuditRow = Readonly<z.infer<typeof auditRowSchema>>;

/** Who it is that opens cases without being a person. */
export const POLICY_ITSELF = 'policy';
/** Looks at cases of a group count towards ruling on it as a whole for so long. */
const LOOK_HOURS = 24;

/** Appends a line; with what it tells of, where that is stored too. */
export async function saveAudit(
  database: Queryable,
  line: Pick<AuditRow, 'who' | 'action' | 'subject'> & { readonly detail?: AuditRow['detail'] },
): Promise<void> {
  await database.query('INSERT INTO audit_log (who, action, subject, detail) VALUES ($1, $2, $3, $4::jsonb)', [
    ...[line.who, line.action, line.subject, jsonParameter(line.detail ?? {})],
  ]);
}

/** Notes that a reviewer looked at a case; one line for each hour of it. */
export async function noteOpened(database: Queryable, caseId: string, who: string): Promise<void> {
  await database.query(
    `INSERT INTO audit_log (who, action, subject, detail) SELECT $1, 'opened', $2, '{}'::jsonb
     WHERE NOT EXISTS (SELECT 1 FROM audit_log WHERE subject = $2 AND who = $1 AND action = 'opened'
                       AND at > now() - interval '1 hour')`,
    [who, caseId],
  );
}

/** How many cases of a group a reviewer has looked at lately, closed ones among them. */
export async function countOpened(database: Queryable, group: string, who: string): Promise<number> {
  const [row] = await database.query(
    `SELECT count(DISTINCT c.id)::int AS n FROM review_cases c JOIN audit_log l ON l.subject = c.id
     WHERE c.group_key = $1 AND l.who = $2 AND l.action = 'opened'
       AND l.at > now() - make_interval(hours => ${LOOK_HOURS})`,
    [group, who],
  );
  return Number(row?.n ?? 0);
}

/** Lines of the log, the newest first: of one subject or of all, before a line (`seq`) where one is given. */
export async function listAudit(
  database: Queryable,
  {
    subject,
    before,
    limit,
  }: { readonly subject?: string | undefined; readonly before?: number | undefined; readonly limit: number },
): Promise<readonly AuditRow[]> {
  const parameters: unknown[] = [];
  const given = (value: unknown) => `$${parameters.push(value)}`;
  const where = ['true'];
  if (subject !== undefined) where.push(`subject = ${given(subject)}`);
  if (before !== undefined) where.push(`id < ${given(before)}::bigint`);
  const rows = await database.query(
    `SELECT id AS seq, at, who, action, subject, detail FROM audit_log
     WHERE ${where.join(' AND ')} ORDER BY id DESC LIMIT ${given(limit)}`,
    parameters,
  );
  return rows.map((row) => auditRowSchema.parse(row));
}
