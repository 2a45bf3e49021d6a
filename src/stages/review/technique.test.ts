import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { rulingRequestSchema } from './review.ts';
import { TECHNIQUES } from './technique.ts';

test('every technique that the corpus shows can be named in a ruling', async () => {
  const { cheats } = JSON.parse(await readFile(new URL('../../../docs/techniques.json', import.meta.url), 'utf8'));
  const shown = cheats.map(({ technique }: { technique: string }) => technique);
  expect(shown.filter((technique: string) => !TECHNIQUES.includes(technique))).toEqual([]);
  expect(new Set(TECHNIQUES).size).toBe(TECHNIQUES.length);
});

test('a cheat needs a known technique, and nothing else has one', () => {
  const parse = (request: object) => rulingRequestSchema.safeParse(request).success;
  expect(parse({ ruling: 'cheat', technique: 'frame-peek-expected' })).toBe(true);
  expect(parse({ ruling: 'cheat', technique: 'no-such' })).toBe(false);
  expect(parse({ ruling: 'cheat' })).toBe(false);
  expect(parse({ ruling: 'honest', technique: 'frame-peek-expected' })).toBe(false);
  expect(parse({ ruling: 'honest' })).toBe(true);
});
