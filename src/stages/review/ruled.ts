import type { ErrorCode } from '../../platform/base/errors.ts';
import type { Amended, CaseRow, RulingRequest, RulingRow } from './review.ts';

/** A ruling on one case. */
export interface CaseRuling extends RulingRequest {
  readonly caseId: string;
  readonly reviewer: string;
  readonly bulk?: boolean | undefined;
  /** The same one asked twice is one ruling; without it every call is a new one. */
  readonly idempotencyKey?: string | undefined;
}

/** Who takes back the newest ruling on a case. */
export interface Undoing {
  readonly caseId: string;
  readonly reviewer: string;
  readonly note?: string | undefined;
}

/** What came of a ruling or of taking one back. */
export interface Ruled {
  readonly case: CaseRow;
  readonly ruling: RulingRow;
  /** Null where nothing was amended: `unsure`, or the same asked twice. */
  readonly amended: Amended | null;
}

/** Who objects to a verdict, and why. */
export interface Appeal {
  readonly verdictId: string;
  readonly why: string;
  readonly who: string;
}

/** A ruling on all that are alike. */
export interface GroupRuling extends RulingRequest {
  readonly group: string;
  readonly reviewer: string;
}

/** What became of one case of a group. */
export interface GroupReport {
  readonly caseId: string;
  readonly amended: Amended | null;
  /** Null where the ruling is stored; else why it is not. */
  readonly problem: { readonly code: ErrorCode; readonly message: string } | null;
}

/** So many of a group must be opened first, or half of it where that is less. */
const FEWEST_OPENED = 5;

/** How many of a group a reviewer must open before ruling on all of it. */
export function neededOpened(waiting: number): number {
  return Math.min(FEWEST_OPENED, Math.ceil(waiting / 2));
}
