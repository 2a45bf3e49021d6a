import type { Behaviour } from '../stages/profile/behaviour.ts';
import { FEATURES } from '../stages/profile/features.ts';
import type { ProfileBody } from '../stages/profile/profile.ts';
import type { TestName } from '../stages/profile/reference.ts';
import type { StoredReference } from '../stages/profile/reference-store.ts';
import type { ProposedWeight } from '../stages/profile/weight.ts';
import { dim, table, yellow } from './output.ts';

/** A profile as it is shown. */
export interface ShownProfile {
  readonly session: string;
  readonly task: string;
  readonly isRecorded: boolean;
  /** Those that are known, with the event at which each was first seen. */
  readonly features: readonly { name: string; unit: string; value: number; event: number }[];
  readonly reference: StoredReference | null;
  readonly score:
    | ({
        readonly p: number | null;
        readonly testP: Readonly<Record<TestName, number | null>>;
        readonly explanation: ProfileBody['explanation'];
      } & ProposedWeight)
    | null;
}

/** The features of a behaviour that are known without a reference. */
export function valuesOf({ values, at }: Behaviour): ShownProfile['features'] {
  return FEATURES.flatMap(({ name, unit }, index) => {
    const value = values[index] ?? null;
    return value === null ? [] : [{ name, unit, value, event: at[index] ?? 0 }];
  });
}

/** Prints a profile for people. */
export function printProfile({ session, task, isRecorded, features, reference, score }: ShownProfile): void {
  console.log(
    `${session} of ${task}${isRecorded ? '' : yellow(' (not recorded whole: what is missing is not nothing)')}\n`,
  );
  const rows = features.map(({ name, unit, value, event }) => [
    name,
    rounded(value),
    unit,
    event === 0 ? '' : `event ${event}`,
  ]);
  console.log(table([['feature', 'value', 'unit', 'first seen'], ...rows]));
  if (reference === null || score === null) {
    console.log(dim('\nno reference: proctor profile fit TASK --window NAME --reviewed makes one'));
    return;
  }
  console.log(`\nreference ${reference.digest} (${reference.window}, ${reference.sessions} sessions)`);
  printReasons(score);
}

/** Prints how odd a session is and why. */
export function printReasons({ p, weight, review, reason, explanation }: NonNullable<ShownProfile['score']>): void {
  console.log(
    `p ${p === null ? 'unknown' : rounded(p)}, proposed weight ${rounded(weight)} (${reason}${review ? ', for review' : ''})`,
  );
  if (explanation === null) return;
  console.log(explanation.sentence);
  for (const { feature, unit, value, median, range, seq } of explanation.reasons) {
    const usual = `${rounded(median)} (${rounded(range[0])} to ${rounded(range[1])})`;
    console.log(`  ${feature}: ${rounded(value)} ${unit}, honest ${usual}${seq > 0 ? `, event ${seq}` : ''}`);
  }
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(4)));
}
