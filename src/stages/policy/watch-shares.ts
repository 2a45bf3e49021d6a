import type { RunShares } from './guard-store.ts';
import type { Guard } from './policy-file.ts';

/** The shares that a guard may limit. */
export const GUARDED = ['masked', 'rejected', 'flagged'] as const;
export type Guarded = (typeof GUARDED)[number];

/** Told when a run passes a limit of its policy's guard; `paused` false: only an alarm. */
export interface RunAlarm {
  readonly run: string;
  readonly what: Guarded;
  readonly paused: boolean;
  readonly reason: string;
}

/** A limit that was passed. */
export interface PassedLimit {
  readonly what: Guarded;
  readonly do: 'pause' | 'alarm';
  /** Whether it was not passed before the last of them: what is told once, and not with every hand-in. */
  readonly isFirst: boolean;
  /** One sentence for people. */
  readonly reason: string;
}

/** How many samples a limit looks at. */
export function samplesOf(guard: Guard, what: Guarded): number {
  return guard[what]?.at_least ?? 0;
}

/** Whether a limit of a guard is passed by what was counted over its samples; null when it is not, or too few were decided yet. */
export function passedLimit(guard: Guard, what: Guarded, shares: RunShares): PassedLimit | null {
  const limit = guard[what];
  if (limit === undefined || shares.of < limit.at_least) return null;
  const count = shares[what];
  const most = limit.share * shares.of;
  if (count <= most) return null;
  const percent = `${Math.round(limit.share * 1_000) / 10} %`;
  const reason = `${count} of the last ${shares.of} hand-ins are ${what}, more than ${percent}`;
  return { what, do: limit.do, isFirst: count - 1 <= most, reason };
}
