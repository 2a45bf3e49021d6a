import type { Alike } from './near-duplicate-store.ts';

/** From this likeness on two sessions are taken for nearly the same: with 64 places about four deviations from .75. */
export const NEAR_DUPLICATE = 0.9;

/** How new a session is among those that were looked up: 1 less the largest likeness, 1 where nothing alike was found. */
export function noveltyOf(alike: readonly Pick<Alike, 'likeness'>[]): number {
  return 1 - alike.reduce((most, { likeness }) => Math.max(most, likeness), 0);
}

/** Those of them that are nearly the same session again. */
export function nearDuplicatesOf(alike: readonly Alike[]): readonly Alike[] {
  return alike.filter(({ likeness }) => likeness >= NEAR_DUPLICATE);
}
