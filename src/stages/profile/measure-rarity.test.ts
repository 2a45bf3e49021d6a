import { expect, test } from 'vitest';
import { honestRuns, madeUp, seeded } from '../../../test/support/behaviours.ts';
import { type Behaviour, Tally } from './behaviour.ts';
import { FEATURE_AT, type FeatureName } from './features.ts';
import { measureRarity } from './measure-rarity.ts';
import { makeVocabulary, openVocabulary } from './vocabulary.ts';

function using(programs: readonly string[], calls: Readonly<Record<string, number>> = {}): Behaviour {
  const tally = new Tally();
  programs.forEach((program, index) => {
    tally.executable(program, index + 1);
    tally.action(program, index + 1);
  });
  for (const [call, count] of Object.entries(calls)) tally.calls.set(call, count);
  return tally.finish();
}

const measured = (session: Behaviour, vocabulary: readonly Behaviour[], isOwn = false) => {
  const { raw, at } = measureRarity(session, openVocabulary(makeVocabulary(vocabulary)), isOwn);
  return (name: FeatureName) => ({ value: raw[FEATURE_AT[name]], at: at[FEATURE_AT[name]] });
};

test('the rarest program is the one that the fewest sessions used, with the place where it was used', () => {
  const others = [using(['cat', 'ls']), using(['cat', 'ls']), using(['cat'])];
  expect(measured(using(['cat', 'ls']), others)('rarest_executable')).toEqual({ value: -Math.log10(3 / 5), at: 2 });
  expect(measured(using(['cat', 'nc']), others)('rarest_executable')).toEqual({ value: -Math.log10(1 / 5), at: 2 });
});

test('a session of the vocabulary is measured as if it had not been there', () => {
  const own = using(['cat', 'nc']);
  const others = [using(['cat']), using(['cat'])];
  expect(measured(own, [own, ...others], true)('rarest_executable')).toEqual(
    measured(own, others)('rarest_executable'),
  );
  const random = seeded(4);
  const sessions = honestRuns(random, 12).map(({ behaviour }) => behaviour);
  sessions.forEach((session, index) => {
    const [within, without] = [
      openVocabulary(makeVocabulary(sessions)),
      openVocabulary(makeVocabulary(sessions.toSpliced(index, 1))),
    ];
    expect(measureRarity(session, within, true).raw).toEqual(measureRarity(session, without, false).raw);
  });
});

test('five actions in a row that nobody made are unseen', () => {
  const common = using(['a', 'b', 'c', 'd']);
  expect(measured(common, [common, common])('unseen_five_grams').value).toBe(0);
  // ^ a b c d  ·  a b c d $  against  ^ a b c x  ·  a b c x $
  expect(measured(using(['a', 'b', 'c', 'x']), [common, common])('unseen_five_grams')).toEqual({ value: 1, at: 4 });
});

test('the distance of call histograms is 0 for the same and 1 for what shares no call', () => {
  const honest = [using([], { read: 3, write: 1 }), using([], { read: 30, write: 10 })];
  expect(measured(using([], { read: 6, write: 2 }), honest)('call_distance').value).toBeCloseTo(0);
  expect(measured(using([], { ptrace: 5 }), honest)('call_distance').value).toBeCloseTo(1);
  expect(measured(using([], { ptrace: 5 }), honest)('rarest_call').value).toBeCloseTo(-Math.log10(1 / 4));
});

test('what a session does not tell, and an empty vocabulary, stay missing or harmless', () => {
  const silent = new Tally().finish();
  expect(measured(silent, [using(['cat'])])('rarest_executable').value).toBeNull();
  expect(measured(silent, [using(['cat'])])('call_distance').value).toBeNull();
  expect(measured(madeUp(seeded(1)), [])('rarest_executable').value).toBeCloseTo(-Math.log10(1 / 2));
});
