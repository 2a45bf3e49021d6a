/** A group that is larger counts as large as this. */
const LARGEST_GROUP = 64;

/**
 * What one look is worth beside a look at a case that stands alone, when so many that are alike wait: a ruling may serve them all,
 * with less certainty the more there are. 1 for one, and one more for each doubling: 2 from two on, 7 from 64 on. It changes at
 * powers of two only, so that opening or closing a case seldom moves the others, and never more than 64 of them.
 */
export function groupFactor(waiting: number): number {
  return 1 + Math.floor(Math.log2(Math.min(Math.max(waiting, 1), LARGEST_GROUP)));
}

/**
 * The expected value of looking at a case: how bad it is if it is true, how little is known, and how many wait on the same question.
 * 0 to 7; the queue is ordered by it.
 */
export function priorityOf(
  { severity, uncertainty }: { readonly severity: number; readonly uncertainty: number },
  waiting: number,
): number {
  return severity * uncertainty * groupFactor(waiting);
}
