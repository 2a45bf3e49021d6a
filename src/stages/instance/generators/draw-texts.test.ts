import { expect, onTestFinished, test } from 'vitest';
import { drawMany, drawOne } from '../../../../test/support/draw-one.ts';
import { LOCALES } from '../../task/cell-schema.ts';
import { WORDS } from '../word-list.ts';
import { PERSON_NAMES } from './person-names.ts';

test.each(LOCALES)('names of %s are 24 each, distinct, composed, and without blanks', (locale) => {
  for (const names of [PERSON_NAMES[locale].given, PERSON_NAMES[locale].family]) {
    expect(new Set(names).size).toBe(24);
    expect(names.filter((name) => name !== name.normalize('NFC') || !/^[\p{L}']+$/u.test(name))).toEqual([]);
  }
});

test.each(LOCALES)(
  'a person of %s has a given and a family name of the lists, in the order of the language',
  (locale) => {
    const { given, family, order } = PERSON_NAMES[locale];
    for (const drawn of drawMany({ type: 'person', locale }, 60) as string[]) {
      const parts = drawn.split(' ');
      const [first, second] = order === 'given-first' ? parts : parts.toReversed();
      expect(given).toContain(first);
      expect(family).toContain(second);
      expect(parts).toHaveLength(2);
    }
  },
);

test('the family name comes first in Japanese only', () => {
  expect(LOCALES.filter((locale) => PERSON_NAMES[locale].order === 'family-first')).toEqual(['ja']);
});

test('a part of a name is the one that the full name has for the same seed', () => {
  for (const locale of [...LOCALES, 'any'] as const) {
    const [full, given, family] = (['full', 'given', 'family'] as const).map(
      (part) => drawOne({ type: 'person', locale, part }).x,
    );
    expect([`${given} ${family}`, `${family} ${given}`]).toContain(full);
  }
});

test('persons of any language come from all of them', () => {
  const drawn = drawMany({ type: 'person' }, 300) as string[];
  const seen = LOCALES.filter((locale) => {
    const { given, family } = PERSON_NAMES[locale];
    return drawn.some((name) => name.split(' ').every((part) => [...given, ...family].includes(part)));
  });
  expect(seen).toEqual([...LOCALES]);
});

test('prose has so many sentences with a capital, an end and no place left open', () => {
  for (const text of drawMany({ type: 'prose', sentences: 30 }, 40) as string[]) {
    const sentences = text.split(/(?<=[.?!]) /);
    expect(sentences).toHaveLength(30);
    expect(sentences.filter((one) => !/^[A-Z][A-Za-z0-9 ,:;]*[.?!]$/.test(one))).toEqual([]);
    expect(text.split(/\W+/).filter((word) => WORDS.includes(word.toLowerCase())).length).toBeGreaterThan(30);
  }
});

const days = { from: '2024-02-28', to: '2024-03-01' } as const;

test('dates are the days from the first to the last, the leap day too', () => {
  const drawn = drawMany({ type: 'datetime', ...days, form: 'date' }, 60);
  expect([...new Set(drawn)].sort()).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
});

test.each(['utc', 'offset'] as const)('a time in %s names an instant within its days', (zone) => {
  const pattern = zone === 'utc' ? /^.{19}Z$/ : /^.{19}[+-]\d\d:(00|15|30|45)$/;
  for (const text of drawMany({ type: 'datetime', ...days, zone }, 200) as string[]) {
    expect(text).toMatch(/^2024-0[23]-\d\dT\d\d:\d\d:\d\d/);
    expect(text).toMatch(pattern);
    expect(Date.parse(text)).toBeGreaterThanOrEqual(Date.UTC(2024, 1, 28));
    expect(Date.parse(text)).toBeLessThan(Date.UTC(2024, 2, 2));
  }
});

test('the three ways of writing a time name the same instant for the same seed', () => {
  const [utc, offset] = (['utc', 'offset'] as const).map((zone) => drawOne({ type: 'datetime', ...days, zone }).x);
  const epoch = drawOne({ type: 'datetime', ...days, form: 'epoch' }).x;
  expect(Date.parse(String(utc)) / 1_000).toBe(epoch);
  expect(Date.parse(String(offset)) / 1_000).toBe(epoch);
});

test('the zone of the machine changes nothing', () => {
  const before = process.env.TZ;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  const drawn = ['UTC', 'Pacific/Kiritimati', 'America/St_Johns'].map((zone) => {
    process.env.TZ = zone;
    const log = drawOne({ type: 'log', lines: 5, services: 1, from: '2024-03-31' });
    return [drawOne({ type: 'datetime', ...days, zone: 'offset' }), log];
  });
  expect(new Date(2024, 0, 1).getTimezoneOffset()).toBe(210);
  expect(drawn[1]).toEqual(drawn[0]);
  expect(drawn[2]).toEqual(drawn[0]);
});
