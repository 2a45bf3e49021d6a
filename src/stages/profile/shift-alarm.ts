/** Sessions that are looked at together. */
export const SHIFT_WINDOW = 200;
/** A p-value that counts as odd here, and the share of odd ones that a cohort may have without anybody cheating. */
export const ODD_P = 0.05;
const TOLERATED_SHARE = 0.08;
/** How improbable a count must be under the tolerated share. All three after the design page of behaviour profiles. */
const ALARM_P = 5e-4;

/** What a window of sessions says of the cohort as a whole. */
export interface ShiftAlarm {
  readonly odd: number;
  readonly of: number;
  /** Of so many odd ones or more, were their share .08. */
  readonly p: number;
  readonly isAlarm: boolean;
}

/** Whether the last 200 p-values against the frozen anchor hold more odd ones than drift of honest work explains. Fewer say nothing. */
export function shiftAlarm(pValues: readonly number[]): ShiftAlarm {
  const window = pValues.slice(-SHIFT_WINDOW);
  const odd = window.filter((p) => p <= ODD_P).length;
  const p = binomialTail(window.length, odd, TOLERATED_SHARE);
  return { odd, of: window.length, p, isAlarm: window.length === SHIFT_WINDOW && p <= ALARM_P };
}

/** P(X ≥ k) of X ~ Binomial(n, share), summed from its logarithms so that no factor overflows. */
export function binomialTail(n: number, k: number, share: number): number {
  if (k <= 0) return 1;
  if (share <= 0) return 0;
  if (share >= 1) return k <= n ? 1 : 0;
  let logTerm = n * Math.log1p(-share);
  let sum = 0;
  for (let count = 0; count <= n; count++) {
    if (count > 0) logTerm += Math.log((n - count + 1) / count) + Math.log(share) - Math.log1p(-share);
    if (count >= k) sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

/** What is carried from one session to the next; begins as `NEW_MARTINGALE`. */
export interface Martingale {
  /** One for each strength of betting. */
  readonly values: readonly number[];
  readonly sessions: number;
}

/** Strengths of betting: near 0 for rare extreme sessions, near 1 for many that are a little odd. */
const EPSILONS = [0.1, 0.3, 0.5, 0.7, 0.9] as const;
/** Alarms come, of honest exchangeable sessions, at most once in so many on average. */
const SESSIONS_PER_FALSE_ALARM = 20_000;

/** Before the first session. */
export const NEW_MARTINGALE: Martingale = { values: EPSILONS.map(() => 0), sessions: 0 };

/**
 * Takes one p-value into a conformal martingale of the Shiryaev–Roberts kind, R ← (1 + R)·ε p^(ε−1), for several ε (Vovk, Fedorova,
 * Nouretdinov, Gammerman 2003; Vovk and others 2021, "Retrain or not retrain"). For slow growth: it forgets nothing. Conservative
 * p-values only lower it.
 */
export function bet({ values, sessions }: Martingale, p: number): Martingale {
  const bounded = Math.min(1, Math.max(1e-9, p));
  const next = EPSILONS.map((epsilon, index) => {
    const value = (1 + (values[index] ?? 0)) * epsilon * bounded ** (epsilon - 1);
    return Math.min(value, Number.MAX_SAFE_INTEGER);
  });
  return { values: next, sessions: sessions + 1 };
}

/** Whether the sessions so far are no more like the anchor. */
export function hasShifted({ values }: Martingale): boolean {
  return values.reduce((sum, value) => sum + value, 0) / values.length >= SESSIONS_PER_FALSE_ALARM;
}
