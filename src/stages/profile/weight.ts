import type { TestName } from './reference.ts';
import { ALPHA, SHARE_OF_ALPHA } from './score.ts';

/** What a cohort is worth, by how many honest sessions calibrate it. */
export interface CohortRule {
  readonly from: number;
  /** Whose reference is used: nobody's (access by exact facts alone), the task family's, a pool of tasks, the cohort's own. */
  readonly reference: 'none' | 'family' | 'pooled' | 'own';
  readonly tests: readonly TestName[];
  /** Whether statistics may lower a weight, or only ask for a review. */
  readonly mayWeigh: boolean;
  /** What the error rate is promised of: each single cohort with 95 % confidence, or cohorts on average. */
  readonly promise: 'none' | 'marginal' | 'confident';
}

const ALL: readonly TestName[] = ['A', 'R', 'S', 'G'];

/**
 * Cohort sizes of the design page. 2,995 is the least n with (1 − α)^n ≤ .05 at α = .001: from there on the bound holds with 95 %
 * confidence over which sessions happened to calibrate.
 */
export const COHORT_RULES: readonly CohortRule[] = [
  { from: 2_995, reference: 'own', tests: ALL, mayWeigh: true, promise: 'confident' },
  { from: 512, reference: 'pooled', tests: ALL, mayWeigh: true, promise: 'marginal' },
  { from: 64, reference: 'family', tests: ALL, mayWeigh: false, promise: 'marginal' },
  { from: 0, reference: 'none', tests: ['A'], mayWeigh: false, promise: 'none' },
];

/** The rule for a cohort with so many calibration sessions. */
export function cohortRule(calibrationSessions: number): CohortRule {
  return COHORT_RULES.find(({ from }) => calibrationSessions >= from) ?? (COHORT_RULES.at(-1) as CohortRule);
}

/** The least weight that statistics alone may give, by what they found. */
export const FLOOR = { A: 0.1, R: 0.3, S: 0.3, G: 0.3 } as const satisfies Record<TestName, number>;
/** The share of false alarms among all that are acted on, over the cohort's last 10⁴ sessions (Benjamini, Hochberg 1995). */
export const FALSE_DISCOVERY_RATE = 0.2;
/** The p-values that the gate looks at. */
export const GATE_WINDOW = 10_000;

/**
 * The largest p-value that is acted on: the largest of the sorted p₍ₖ₎ that is at most q·k/n, after Benjamini and Hochberg; 0 when
 * there is none. Only the last 10⁴ count.
 */
export function gateThreshold(pValues: readonly number[], q: number = FALSE_DISCOVERY_RATE): number {
  const sorted = Float64Array.from(pValues.slice(-GATE_WINDOW).filter((p) => !Number.isNaN(p))).sort();
  for (let k = sorted.length; k > 0; k--) {
    const p = sorted[k - 1] as number;
    if (p <= (q * k) / sorted.length) return p;
  }
  return 0;
}

/** What a weight is made from. */
export interface Weighed {
  /** Of all tests together; null: not known. */
  readonly p: number | null;
  /** Of test A alone. */
  readonly accessP: number | null;
  readonly leading: TestName | null;
  /** The gate of the cohort's recent sessions; see {@link gateThreshold}. */
  readonly gate: number;
  readonly rule: CohortRule;
  /** The policy is another than the reference's and was not recalibrated: all but access is advice. */
  readonly isNewWindow: boolean;
  /** Whether it touched what no session of the reference did, by exact facts; see {@link unseenAccess}. */
  readonly hasUnseenAccess: boolean;
  /** Whether another module found evidence too, or a reviewed cluster of cheats holds the session. */
  readonly isCorroborated: boolean;
}

/** A proposed weight, and whether a person should look. */
export interface ProposedWeight {
  /** In [0, 1]; 0 only where something else than statistics accuses too. */
  readonly weight: number;
  readonly review: boolean;
  readonly reason:
    | 'ordinary'
    | 'unknown'
    | 'access'
    | 'cohort-too-small'
    | 'new-window'
    | 'gate-closed'
    | 'odd'
    | 'corroborated';
}

/**
 * From p-value to weight: 1 above α = .001 (below 999 calibrating sessions always: there only unseen access asks for a review), below it p / α but never less than the floor of the test that led. Below the sizes that
 * may weigh, in a new window, and while the gate is closed, a flag asks for a review and the weight stays 1. Falls as p falls, and
 * never to 0 by itself.
 */
export function proposeWeight(weighed: Weighed): ProposedWeight {
  const { p, leading, rule, isCorroborated, hasUnseenAccess } = weighed;
  if (p === null || leading === null) return { weight: 1, review: false, reason: 'unknown' };
  // fewer than 999 calibrating sessions cannot give a p-value below α, but a fact is one in any cohort
  const look = hasUnseenAccess ? ({ review: true, reason: 'access' } as const) : null;
  if (p > ALPHA) return { weight: 1, ...(look ?? { review: false, reason: 'ordinary' }) };
  if (!rule.tests.includes(leading)) return { weight: 1, ...(look ?? { review: false, reason: 'cohort-too-small' }) };
  if (isCorroborated) return { weight: 0, review: true, reason: 'corroborated' };
  const reason = whyNotWeighed(weighed, { p, leading });
  if (reason !== null) return { weight: 1, review: true, reason };
  return { weight: Math.max(FLOOR[leading], p / ALPHA), review: true, reason: 'odd' };
}

/** Why a flag only asks for a review; null when it may weigh. */
function whyNotWeighed(
  { accessP, gate, rule, isNewWindow }: Weighed,
  { p, leading }: { readonly p: number; readonly leading: TestName },
): ProposedWeight['reason'] | null {
  if (!rule.mayWeigh) return 'cohort-too-small';
  const hasAccess = leading === 'A' || (accessP !== null && accessP <= ALPHA * SHARE_OF_ALPHA.A);
  if (isNewWindow && !hasAccess) return 'new-window';
  return p <= gate || hasAccess ? null : 'gate-closed';
}
