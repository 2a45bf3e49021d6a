import { expect, test } from 'vitest';
import { honestRuns, madeUp, seeded } from '../../../test/support/behaviours.ts';
import { digestOf } from '../../platform/base/digest.ts';
import { buildReference } from './build-reference.ts';
import { FEATURE_AT, FEATURES } from './features.ts';
import { makeProfile, type Profiled, type ReadyReference } from './make-profile.ts';
import { shapeFrom } from './profile.ts';
import { openReference } from './reference.ts';

const runs = honestRuns(seeded(11), 60);
const reference: ReadyReference = {
  ...{ digest: digestOf('reference'), window: 'w' },
  open: openReference(buildReference(runs, { cohort: 'task', window: 'w' })),
};
const behaviour = madeUp(seeded(12), { program: 'nobody-runs-this' });
const profiled: Profiled = {
  ...{ cohort: 'task', window: 'w', behaviour, isRecorded: true, reference, group: [], gate: 0, isCorroborated: false },
};

test('a profile beside a reference keeps how rare what the session used is, and the event that shows it', () => {
  const { features } = makeProfile(profiled);
  const { value, at } = features[FEATURE_AT.rarest_executable] ?? {};
  expect(value).toBeGreaterThan(1);
  expect(at).toBe(behaviour.executables.get('nobody-runs-this'));
  expect(features[FEATURE_AT.unseen_five_grams]?.of).toBe(behaviour.fiveGrams.size);
  expect(features[FEATURE_AT.steps]?.value).toBe(behaviour.values[FEATURE_AT.steps]);
});

test('without a reference nothing is known to be rare', () => {
  const { features } = makeProfile({ ...profiled, reference: null });
  expect(features[FEATURE_AT.rarest_executable]).toEqual({ name: 'rarest_executable', value: null, of: 0, at: 0 });
});

test('another session of its group is compared with its own counts, not with how rare they were once', () => {
  const shape = shapeFrom(makeProfile(profiled).features);
  expect(shape.values).toEqual(behaviour.values);
  const rare = FEATURES.flatMap(({ source }, index) => (source === 'vocabulary' ? [shape.values[index]] : []));
  expect(new Set(rare)).toEqual(new Set([null]));
});
