import type { Digest } from '../../platform/base/digest.ts';
import type { Behaviour } from './behaviour.ts';
import { explainScore } from './explain.ts';
import { keptFeatures, type ProfileBody } from './profile.ts';
import { type OpenReference, perTest } from './reference.ts';
import { scoreSession } from './score.ts';
import { unseenAccess } from './unseen-access.ts';
import { cohortRule, proposeWeight } from './weight.ts';

/** A reference that is ready, with the names by which a profile says what it was compared with. */
export interface ReadyReference {
  readonly digest: Digest;
  readonly window: string;
  readonly open: OpenReference;
}

/** What a profile is made from. */
export interface Profiled {
  readonly cohort: string;
  /** The policy that acted; null: nobody said, which counts as another than the reference's. */
  readonly window: string | null;
  readonly behaviour: Behaviour;
  readonly isRecorded: boolean;
  readonly reference: ReadyReference | null;
  /** Sessions of the same prompt that have ended. */
  readonly group: readonly { readonly id: string; readonly behaviour: Behaviour }[];
  /** The largest p-value of the cohort that is acted on; see `gateThreshold`. */
  readonly gate: number;
  /** Whether another module accuses it too. */
  readonly isCorroborated: boolean;
}

/** A session's profile: features, p-values, a proposed weight and why. Pure. Without a reference nothing is accused. */
export function makeProfile(profiled: Profiled): ProfileBody {
  const { cohort, window, behaviour, isRecorded, reference, group } = profiled;
  const base = { cohort, window, isRecorded, group: group.map(({ id }) => id) };
  if (reference === null) {
    return {
      ...{ ...base, reference: null, p: null, testP: perTest(() => null), leading: null, weight: 1, review: false },
      ...{ reason: 'unknown', explanation: null, features: keptFeatures(behaviour) },
    };
  }
  const { open } = reference;
  const calibration = open.calibration.all.length;
  const score = scoreSession(open, { behaviour, group: group.map((other) => other.behaviour) });
  const { p, leading, testP, measured } = score;
  const weighed = proposeWeight({
    ...{ p, leading, accessP: testP.A, gate: profiled.gate, rule: cohortRule(calibration) },
    isNewWindow: window !== reference.window,
    hasUnseenAccess: unseenAccess(open, score).length > 0,
    isCorroborated: profiled.isCorroborated,
  });
  const { digest } = reference;
  return {
    ...{ ...base, reference: { digest, window: reference.window, calibration }, p, testP: { ...testP }, leading },
    ...{
      ...weighed,
      explanation: explainScore(open, score),
      features: keptFeatures({ ...measured, values: measured.raw }),
    },
  };
}
