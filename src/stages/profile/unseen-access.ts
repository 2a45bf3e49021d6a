import { FEATURES, type FeatureName } from './features.ts';
import type { OpenReference } from './reference.ts';
import type { RawScore } from './score.ts';

/** What a session touched, by exact facts of its sandbox, that no session of the reference did: features of test A. */
export function unseenAccess(
  { columns }: Pick<OpenReference, 'columns'>,
  { measured }: RawScore,
): readonly FeatureName[] {
  return FEATURES.flatMap(({ name, test }, index) => {
    const value = measured.raw[index] ?? 0;
    const most = columns[index]?.sorted.at(-1) ?? 0;
    return test === 'A' && value > 0 && most <= 0 ? [name] : [];
  });
}
