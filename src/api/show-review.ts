import { z } from 'zod';
import { type Amended, CAUSES, type CaseRow, RULINGS, type RulingRow } from '../stages/review/review.ts';

/** A case, as it is told. */
export const reviewSchema = z.object({
  review_id: z.string(),
  submission_id: z.string(),
  verdict_id: z.string().describe('the verdict that the case was opened on; rulings amend the one that stands'),
  run_id: z.string().nullable(),
  task: z.string(),
  cause: z.enum(CAUSES),
  why: z.string().describe('may quote a caller: show it as text'),
  severity: z.number(),
  uncertainty: z.number(),
  priority: z.number(),
  group: z.string().describe('key of what is alike'),
  waiting: z.int().describe('open cases of the group'),
  ruling: z.enum(RULINGS).nullable(),
  opened_at: z.string(),
  closed_at: z.string().nullable(),
  claimed_by: z.string().nullable(),
  claimed_until: z.string().nullable(),
});

/** A ruling, as it is told. */
export const rulingSchema = z.object({
  ruling_id: z.string(),
  ruling: z.enum(RULINGS),
  technique: z.string().nullable(),
  note: z.string(),
  reviewer: z.string(),
  bulk: z.boolean(),
  undoes: z.string().nullable(),
  at: z.string(),
  digest: z.string(),
});

/** What a ruling changed. */
export const amendedSchema = z.object({ verdict_id: z.string(), reward_id: z.string(), submission_id: z.string() });

export function showReview(row: CaseRow): z.infer<typeof reviewSchema> {
  const {
    id,
    artifactId,
    verdictId,
    runId,
    openedAt,
    closedAt,
    claimedBy,
    claimedUntil,
    decisionId: _own,
    ...rest
  } = row;
  return {
    ...rest,
    ...{ review_id: id, submission_id: artifactId, verdict_id: verdictId, run_id: runId },
    ...{ opened_at: openedAt.toISOString(), closed_at: closedAt?.toISOString() ?? null },
    ...{ claimed_by: claimedBy, claimed_until: claimedUntil?.toISOString() ?? null },
  };
}

export function showRuling({ id, caseId: _of, at, ...rest }: RulingRow): z.infer<typeof rulingSchema> {
  return { ruling_id: id, ...rest, at: at.toISOString() };
}

export function showAmended(amended: Amended | null): z.infer<typeof amendedSchema> | null {
  if (amended === null) return null;
  const { verdictId, rewardId, artifactId } = amended;
  return { verdict_id: verdictId, reward_id: rewardId, submission_id: artifactId };
}
