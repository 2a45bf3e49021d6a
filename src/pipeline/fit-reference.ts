import { ProctorError } from '../platform/base/errors.ts';
import { type Refusal, refusalsOf } from '../stages/profile/admit-reference.ts';
import { buildReference, type HonestRun } from '../stages/profile/build-reference.ts';
import { saveReference } from '../stages/profile/reference-store.ts';
import { type CohortRule, cohortRule } from '../stages/profile/weight.ts';
import { type Between, listEnded, MOST_SESSIONS } from '../stages/session/session-list-store.ts';
import { type ProfiledSession, type ProfileParts, profileSession } from './profile-session.ts';

/** Why a session is left out; beside what admission refuses: it was not judged, or cannot be made out any more. */
export type FitRefusal = Refusal | 'not-judged' | 'unreadable';

/** What came of a fit. */
export interface FittedReference {
  readonly digest: string;
  readonly admitted: number;
  /** Sessions that were not admitted, by why. */
  readonly refused: Readonly<Partial<Record<FitRefusal, number>>>;
  readonly calibration: number;
  readonly rule: CohortRule;
}

/**
 * Makes and stores a reference of a task's ended sessions whose policy a person has reviewed as honest. Those that any module flagged, or that
 * were not recorded whole, are left out. `conflict` when too few are left to be cut in two.
 */
export async function fitReference(
  parts: ProfileParts,
  { task, window, since, until }: { readonly task: string; readonly window: string } & Between,
  onSession: (done: number, of: number) => void = () => undefined,
): Promise<FittedReference> {
  const ids = await listEnded(parts.database, { task, since, until, limit: MOST_SESSIONS });
  const runs: HonestRun[] = [];
  const refused: Partial<Record<FitRefusal, number>> = {};
  for (const [index, id] of ids.entries()) {
    const profiled = await profileSession(parts, id).catch((thrown) => {
      if (thrown instanceof ProctorError && thrown.fault !== 'platform') return null;
      throw thrown;
    });
    const why = profiled === null ? 'unreadable' : refusalOf(profiled);
    if (profiled !== null && why === null) runs.push({ id, group: profiled.group, behaviour: profiled.behaviour });
    else if (why !== null) refused[why] = (refused[why] ?? 0) + 1;
    onSession(index + 1, ids.length);
  }
  if (runs.length < 2) {
    throw new ProctorError(
      'conflict',
      `${runs.length} of ${ids.length} sessions of ${task} may stand for honest work: too few`,
    );
  }
  const reference = buildReference(runs, { cohort: task, window });
  const { fitted, calibration: calibrating } = reference;
  if (fitted.sessions < 2 || calibrating.all.length < 1) {
    throw new ProctorError(
      'conflict',
      `nearly all of the ${runs.length} sessions are of one prompt, which cannot be cut in two`,
    );
  }
  const digest = await saveReference(parts.database, task, reference);
  const calibration = calibrating.all.length;
  return { digest, admitted: runs.length, refused, calibration, rule: cohortRule(calibration) };
}

function refusalOf({ verdict, isRecorded, session }: ProfiledSession): FitRefusal | null {
  if (verdict === null || verdict.integrity === 'unknown') return 'not-judged';
  const flaggedBy = verdict.signals.filter(({ severity }) => severity !== 'note').map(({ kind }) => kind);
  if (flaggedBy.length > 0) return 'flagged';
  const [first] = refusalsOf({
    ...{ isOfReviewedPolicy: true, isDrawnAtRandom: false, isRewardedTwice: null, cluster: 'unknown' },
    ...{ flaggedBy, isRecorded: isRecorded && session.origin === 'workspace' },
  });
  return first ?? null;
}
