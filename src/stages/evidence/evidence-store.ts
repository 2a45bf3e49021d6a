import { z } from 'zod';
import { ProctorError } from '../../platform/base/errors.ts';
import { jsonParameter, type Queryable } from '../../platform/db/database.ts';
import type { ChainPlace, EvidenceRecord } from './evidence.ts';
import { verifyRecord } from './verify-evidence.ts';

/** Any number that no other advisory lock of ours has. */
const ADVISORY_LOCK = 7_620_114;

const lastSchema = z.object({ position: z.coerce.number().int(), digest: z.string(), known: z.boolean() });

/**
 * Appends the record of a verdict at the end of the chain, in the transaction that stores the verdict; a verdict that has one
 * keeps it. Until that transaction ends no other can append, so that no two records follow the same one.
 */
export async function appendEvidence(
  transaction: Queryable,
  verdictId: string,
  seal: (place: ChainPlace) => EvidenceRecord,
): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
  const place = await nextPlace(transaction, verdictId);
  if (place === null) return;
  const record = seal(place);
  await transaction.query(
    'INSERT INTO evidence (position, verdict_id, previous, record, digest) VALUES ($1, $2, $3, $4::jsonb, $5)',
    [record.content.position, verdictId, record.content.previous, jsonParameter(record), record.digest],
  );
}

/** The record of a verdict, checked. `not-found`, `digest-mismatch`. */
export async function findEvidence(database: Queryable, verdictId: string): Promise<EvidenceRecord> {
  const [row] = await database.query('SELECT record FROM evidence WHERE verdict_id = $1', [verdictId]);
  if (row === undefined) throw new ProctorError('not-found', `no evidence of a verdict ${JSON.stringify(verdictId)}`);
  return checked(row.record);
}

/** The next records of the chain after a position (0 is before the first), at most `limit`. `digest-mismatch`. */
export async function listEvidence(
  database: Queryable,
  range: { after: number; limit: number },
): Promise<readonly EvidenceRecord[]> {
  const rows = await database.query('SELECT record FROM evidence WHERE position > $1 ORDER BY position LIMIT $2', [
    range.after,
    range.limit,
  ]);
  return rows.map((row) => checked(row.record));
}

/** Null when the verdict has its record. */
async function nextPlace(transaction: Queryable, verdictId: string): Promise<ChainPlace | null> {
  const [row] = await transaction.query(
    `SELECT position, digest, EXISTS (SELECT 1 FROM evidence WHERE verdict_id = $1) AS known
     FROM evidence ORDER BY position DESC LIMIT 1`,
    [verdictId],
  );
  if (row === undefined) return { position: 1, previous: null };
  const last = lastSchema.parse(row);
  if (last.known) return null;
  return { position: last.position + 1, previous: last.digest };
}

function checked(raw: unknown): EvidenceRecord {
  const { record, failures } = verifyRecord(raw);
  if (record !== null && failures.length === 0) return record;
  const why = failures.map(({ check, message }) => `${check}: ${message}`).join('; ');
  throw new ProctorError('digest-mismatch', `a stored evidence record is not what was stored: ${why}`);
}
