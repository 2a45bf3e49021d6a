import type { VerdictBody, VerdictRow } from '../verdict/verdict.ts';
import type { Ruling, RulingRow } from './review.ts';

type Facts = Omit<VerdictBody, 'basis' | 'signals' | 'pinned'>;
type Closing = Exclude<Ruling, 'unsure'>;

/** The reason of a verdict that a ruling took out of grading. */
const REASONS = { 'task-defect': 'ruled-task-defect', 'environment-fault': 'ruled-environment-fault' } as const;

const AMEND = {
  // who cheats so that nothing can be graded has failed: a fault that the subject causes is no way out
  cheat: (before) =>
    before.outcome === 'ungraded'
      ? { ...before, outcome: 'failed', integrity: 'violated', fault: 'subject', score: 0 }
      : { ...before, integrity: 'violated', fault: 'subject' },
  honest: (before) => ({ ...before, integrity: 'clean' }),
  'task-defect': (before) => ungraded(before, 'task-defect'),
  'environment-fault': (before) => ungraded(before, 'environment-fault'),
} as const satisfies Record<Closing, (before: Facts) => Facts>;

/**
 * What a ruling makes of what was judged from a grade, with the verdict that stands and the ruling named by digest. An earlier ruling leaves
 * nothing behind: who overrules it rules on what was measured, not on what it made of that. What the work earned stays told, whoever
 * earned it how; the policy says what is paid. Null where the ruling changes nothing (`unsure`). Pure.
 */
export function amendVerdict(
  judged: Pick<VerdictRow, 'body'>,
  stands: Pick<VerdictRow, 'digest'>,
  ruling: Pick<RulingRow, 'ruling' | 'digest'>,
): VerdictBody | null {
  if (ruling.ruling === 'unsure') return null;
  const { basis, signals, pinned, ...facts } = judged.body;
  return { ...AMEND[ruling.ruling](facts), pinned, signals, basis: basisOf(basis, stands, ruling) };
}

/** What a verdict was before a ruling that is taken back, as a new one that amends the one that stands. Pure. */
export function restoreVerdict(
  stands: Pick<VerdictRow, 'body' | 'digest'>,
  earlier: Pick<VerdictRow, 'body'>,
  undoing: Pick<RulingRow, 'digest'>,
): VerdictBody {
  return { ...earlier.body, basis: basisOf(earlier.body.basis, stands, undoing) };
}

function ungraded(before: Facts, ruling: keyof typeof REASONS): Facts {
  return {
    ...before,
    ...{ outcome: 'ungraded', fault: ruling === 'task-defect' ? 'task' : 'platform', assurance: null, score: 0 },
    ...{ cases: { passed: 0, total: 0 }, reason: REASONS[ruling] },
  };
}

function basisOf(
  { artifact, grade, screening }: VerdictBody['basis'],
  before: Pick<VerdictRow, 'digest'>,
  ruling: Pick<RulingRow, 'digest'>,
): VerdictBody['basis'] {
  return { artifact, grade, screening, amends: before.digest, ruling: ruling.digest };
}
