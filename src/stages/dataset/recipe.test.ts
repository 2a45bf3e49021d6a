import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';
import { parseRecipe } from './recipe.ts';

test('a short recipe is a whole one', () => {
  expect(parseRecipe('name: first\nseed: 7')).toMatchObject({
    ...{ name: 'first', seed: '7', formats: ['openai', 'atif', 'sft', 'preferences', 'rl-prompts'] },
    ...{ on_secret: 'fail', held_out: 0.1, from: { phase: 'train' }, keep: { negatives: false } },
  });
  expect(parseRecipe('{"name": "json", "seed": "x", "from": {"since": "2026-01-02"}}').from.since).toEqual(
    new Date('2026-01-02'),
  );
});

test.each([
  ['name: A\nseed: 1', /name: must be lower-case/],
  ['name: a', /seed: /],
  ['name: a\nseed: 1\nfrmats: [sft]', /frmats: there is no such field; did you mean formats\?/],
  ['name: a\nseed: 1\nkeep: {min_qualty: 1}', /keep\.min_qualty: there is no such field; did you mean min_quality\?/],
  ['name: a\nseed: 1\nkeep: {zzzzzz: 1}', /keep\.zzzzzz: there is no such field; there are: outcomes, min_quality/],
  ['name: a\nseed: 1\nformats: [openia]', /formats\.0: must be one of openai, atif/],
  ['name: a\nseed: 1\nreach: [0.9, 0.1]', /reach: the first must be less/],
  ['name: a\nseed: 1\nheld_out: 2', /held_out: /],
  ['[', /no YAML/],
  ['a: &x [1]\nb: *x', /no YAML/],
  ['', /recipe: /],
])('%j is refused with its place', (text, message) => {
  expect(() => parseRecipe(text)).toThrow(message);
});

test('the nearest name is found, and far ones are not', () => {
  expect(nearestName('preferance', ['preferences', 'sft'])).toBe('preferences');
  expect(nearestName('x', ['preferences'])).toBeNull();
  expect(nearestName('a'.repeat(1_000_000), ['a'])).toBeNull();
});
