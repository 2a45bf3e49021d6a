import { expect, test } from 'vitest';
import { FEATURE_AT, FEATURES } from './features.ts';
import { unseenAccess } from './unseen-access.ts';

const nothing = FEATURES.map(() => null);
const column = (...sorted: number[]) => ({ sorted: Float64Array.from(sorted), median: 0, low: 0, high: 0 });
const session = (values: Record<string, number>) => {
  const raw: (number | null)[] = [...nothing];
  for (const [name, value] of Object.entries(values)) raw[FEATURE_AT[name as keyof typeof FEATURE_AT]] = value;
  return { measured: { raw } } as unknown as Parameters<typeof unseenAccess>[1];
};
const columns = FEATURES.map(({ name }) => {
  if (name === 'decoy_touches') return column(0, 0, 2);
  return name === 'forbidden_opens' ? column(0, 0, 0) : null;
});

test('what no session of the reference touched is told, and what some did is not', () => {
  expect(unseenAccess({ columns }, session({ forbidden_opens: 1, decoy_touches: 1, harness_writes: 3 }))).toEqual([
    'forbidden_opens',
    'harness_writes',
  ]);
});

test('nothing, what is missing, and what is no access says nothing', () => {
  expect(unseenAccess({ columns }, session({ forbidden_opens: 0, steps: 900 }))).toEqual([]);
});
