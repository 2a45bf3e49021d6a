import { z } from 'zod';
import { digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { asStored, jsonParameter, type Queryable } from '../../platform/db/database.ts';
import { type AuditReport, auditReportSchema, GATES, type Gate } from './admission.ts';

const gateSchema = z.enum(GATES);

/** Appends what an audit found of a stored task; from now on it counts for that digest. `not-found`. */
export async function saveAdmission(database: Queryable, report: AuditReport): Promise<void> {
  const stored = asStored(report);
  const rows = await database.query(
    `INSERT INTO admissions (id, task_digest, gate, report, digest)
     SELECT $1, digest, $3, $4::jsonb, $5 FROM tasks WHERE digest = $2 RETURNING id`,
    [newId('adm'), stored.digest, stored.gate, jsonParameter(stored), digestOfJson(stored)],
  );
  if (rows.length === 0) throw new ProctorError('not-found', `no task ${stored.digest} is stored`);
}

/** The newest audit of a task, or null. `digest-mismatch`. */
export async function findAdmission(database: Queryable, taskDigest: string): Promise<AuditReport | null> {
  const [row] = await database.query(
    'SELECT id, report, digest FROM admissions WHERE task_digest = $1 ORDER BY id DESC LIMIT 1',
    [taskDigest],
  );
  if (row === undefined) return null;
  const report = auditReportSchema.parse(row.report);
  if (digestOfJson(report) === row.digest) return report;
  throw new ProctorError('digest-mismatch', `the stored admission ${row.id} is not what was stored`);
}

/** The task that a hand-in answers, and how its newest audit ended; the gate is null when it was never audited. */
export async function findGate(
  database: Queryable,
  artifactId: string,
): Promise<{ readonly task: string; readonly gate: Gate | null }> {
  const [row] = await database.query(
    `SELECT t.name, (SELECT a.gate FROM admissions a WHERE a.task_digest = t.digest ORDER BY a.id DESC LIMIT 1) AS gate
     FROM artifacts s JOIN instances i ON i.id = s.instance_id JOIN tasks t ON t.digest = i.task_digest WHERE s.id = $1`,
    [artifactId],
  );
  return { task: String(row?.name), gate: gateSchema.nullable().parse(row?.gate ?? null) };
}
