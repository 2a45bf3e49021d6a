import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type CaseRow, type Cause, caseRowSchema, type Ruling } from './review.ts';
import { CASE_COLUMNS, CASES, IS_CLAIMED } from './review-store.ts';

/** Which cases of the queue; what is left out does not matter. */
export interface QueueFilter {
  readonly run?: string | undefined;
  readonly task?: string | undefined;
  readonly cause?: Cause | undefined;
  /** Cases, open or closed, with this standing ruling; without it: open ones. */
  readonly ruling?: Ruling | undefined;
  readonly group?: string | undefined;
  /** Only what this reviewer has claimed. */
  readonly mine?: string | undefined;
  /** From the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** One page of the queue; `next` leads to the page after, null on the last one. */
export interface QueuePage {
  readonly cases: readonly CaseRow[];
  readonly next: string | null;
}

const cursorSchema = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,20})?(e-\d{1,3})?:case_[0-9a-z]{29}$/)
  .transform((text) => {
    const [priority = '', id = ''] = text.split(':');
    return { priority: Number(priority), id };
  });

/**
 * Cases by priority, the oldest first among equals, one page. A case whose priority changes between two pages may be on both or on
 * neither. `bad-request` for what is no cursor.
 */
export async function listQueue(database: Queryable, filter: QueueFilter): Promise<QueuePage> {
  const parameters: unknown[] = [];
  const given = (value: unknown) => `$${parameters.push(value)}`;
  const where = [filter.ruling === undefined ? 'c.closed_at IS NULL' : `c.ruling = ${given(filter.ruling)}`];
  const equal = { 'c.run_id': filter.run, 'c.task': filter.task, 'c.cause': filter.cause, 'c.group_key': filter.group };
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) where.push(`${column} = ${given(value)}`);
  }
  if (filter.mine !== undefined) where.push(`c.claimed_by = ${given(filter.mine)} AND ${IS_CLAIMED}`);
  if (filter.after !== undefined) {
    const { priority, id } = cursorOf(filter.after);
    const at = given(priority);
    where.push(`c.priority <= ${at}::float8 AND (c.priority < ${at}::float8 OR c.id > ${given(id)})`);
  }
  const rows = await database.query(
    `SELECT ${CASE_COLUMNS} FROM ${CASES} WHERE ${where.join(' AND ')}
     ORDER BY c.priority DESC, c.id LIMIT ${given(filter.limit + 1)}`,
    parameters,
  );
  const cases = rows.slice(0, filter.limit).map((row) => caseRowSchema.parse(row));
  const last = cases.at(-1);
  return { cases, next: rows.length > filter.limit && last ? `${last.priority}:${last.id}` : null };
}

/** Open cases of a group by priority, at most `limit`. */
export async function listGroup(database: Queryable, group: string, limit: number): Promise<readonly CaseRow[]> {
  return (await listQueue(database, { group, limit })).cases;
}

const groupSchema = z.object({ group: z.string(), waiting: z.number(), priority: z.number() });
/** A group of open cases that are alike. */
export type WaitingGroup = Readonly<z.infer<typeof groupSchema>>;

/** The groups of the open cases with the most to gain, at most `limit`. */
export async function listGroups(database: Queryable, limit: number): Promise<readonly WaitingGroup[]> {
  const rows = await database.query(
    `SELECT c.group_key AS "group", count(*)::int AS waiting, max(c.priority) AS priority
     FROM review_cases c WHERE c.closed_at IS NULL GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT $1`,
    [limit],
  );
  return rows.map((row) => groupSchema.parse(row));
}

function cursorOf(text: string): { readonly priority: number; readonly id: string } {
  const parsed = cursorSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ProctorError('bad-request', 'after: this is no place in the queue; take next of the page before');
}
