import { expect, test } from 'vitest';
import { honestRuns, type MadeUp, madeUp, seeded } from '../../../test/support/behaviours.ts';
import { type EvaluatedRun, evaluate } from './evaluate.ts';
import {
  HONEST,
  type LabelledSession,
  labelledSessionSchema,
  openLabelled,
  storedBehaviour,
} from './labelled-session.ts';

const random = seeded(3);
const honest: readonly EvaluatedRun[] = honestRuns(random, 240).map((run) => ({
  ...{ ...run, cohort: 'task', cheat: null, touched: null },
}));
const cheats = (kind: string, made: MadeUp, touched: readonly string[] | null) =>
  Array.from({ length: 12 }, (_, at): EvaluatedRun => {
    const group = `run-prompt-${at}`;
    return { id: `${kind}-${at}`, group, behaviour: madeUp(random, made), cohort: 'task', cheat: kind, touched };
  });
const set = [
  ...honest,
  ...cheats('loud', { forbidden: 3 }, ['forbidden']),
  ...cheats('quiet', {}, null),
  ...cheats('blamed', { forbidden: 3 }, ['network']),
];

test('a labelled set tells what is found of each kind, whom it flags wrongly, and whether the reason is right', () => {
  const { auc, all, kinds, flagged, honest: count, unknown, leastP } = evaluate(set);
  expect(count).toBe(240);
  expect(unknown).toBe(0);
  const [blamed, loud, quiet] = kinds;
  expect(loud).toMatchObject({ kind: 'loud', recall: [1, 0], explained: { share: 1 } });
  expect(blamed).toMatchObject({ explained: { share: 0 } });
  expect(quiet?.explained).toBeNull();
  expect(quiet?.recall[0]).toBeLessThan(0.2);
  expect(all.sessions).toBe(36);
  // two thirds of the cheats are always found, the others are as honest as any
  expect(auc).toBeGreaterThan(0.7);
  expect(flagged[0]?.share).toBeLessThan(0.04);
  // fewer than 999 calibrate, so nothing can be flagged at 0.1 %
  expect(leastP).toBeGreaterThan(0.001);
});

test('cheats teach nothing: without them honest sessions have the same p-values', () => {
  expect(evaluate(honest).flagged).toEqual(evaluate(set).flagged);
  expect(evaluate(honest)).toMatchObject({ auc: null, kinds: [], cheats: 0 });
});

test('a cohort without honest sessions is unknown, and accuses nobody', () => {
  const strange = cheats('loud', { forbidden: 3 }, null).map((run) => ({ ...run, cohort: 'another' }));
  expect(evaluate([...honest, ...strange])).toMatchObject({ unknown: 12, kinds: [{ recall: [0, 0] }] });
});

test('a behaviour survives being written and read, and a line without one is told', () => {
  const { behaviour } = honest[0] as EvaluatedRun;
  const line: LabelledSession = { id: 'a', label: HONEST, behaviour: storedBehaviour(behaviour) };
  const read = openLabelled(labelledSessionSchema.parse(JSON.parse(JSON.stringify(line))));
  expect(read).toMatchObject({ behaviour, cheat: null, cohort: 'all', group: null });
  expect(openLabelled(labelledSessionSchema.parse({ id: 'a', label: 'x' }))).toBeNull();
});

test('infinite, unknown and negative counts are refused where they enter', () => {
  const line = (behaviour: unknown) => labelledSessionSchema.safeParse({ id: 'a', label: HONEST, behaviour }).success;
  expect(line({ features: { steps: 3 } })).toBe(true);
  expect(line({ features: { steps: Number.POSITIVE_INFINITY } })).toBe(false);
  expect(line({ features: { stepz: 3 } })).toBe(false);
  expect(line({ features: {}, calls: { openat: -1 } })).toBe(false);
});
