import type { Database } from '../platform/db/database.ts';
import type { GradeBody, GradeRow } from '../stages/grade/grade.ts';
import { saveGrade } from '../stages/grade/grade-store.ts';
import type { Claim } from './worker-store.ts';

/** Stores the first grade of a hand-in for who holds it; `lease-lost` where that is another worker by now. */
export function saveFirstGrade(
  { database, claim }: { readonly database: Database; readonly claim: Claim },
  artifactId: string,
  body: GradeBody,
): Promise<GradeRow> {
  return database.transaction(async (transaction) => {
    await claim.hold(transaction);
    return saveGrade(transaction, { artifactId, round: 1, body });
  });
}
