import { afterEach, expect, test, vi } from 'vitest';
import { type IdKind, idPattern, newId } from './ids.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('an id fits the pattern of its kind and of no other', () => {
  const kinds: IdKind[] = ['inst', 'sub', 'grade', 'sig', 'ver', 'dec', 'rew', 'key', 'att', 'wrk'];
  for (const kind of kinds) {
    const fitting = kinds.filter((other) => idPattern(other).test(newId(kind)));
    expect(fitting).toEqual([kind]);
  }
});

test('ids sort by the time of their making', () => {
  vi.useFakeTimers();
  const times = [0, 35, 36, 1_000_000_000_000, 1_999_999_999_999];
  const ids = times.map((time) => {
    vi.setSystemTime(time);
    return newId('sub');
  });
  expect([...ids].sort()).toEqual(ids);
  expect(ids.map((id) => id.slice(4, 13))).toEqual(times.map((time) => time.toString(36).padStart(9, '0')));
});

test('a thousand ids of one millisecond differ', () => {
  vi.useFakeTimers();
  expect(new Set(Array.from({ length: 1_000 }, () => newId('grade'))).size).toBe(1_000);
});

test('the pattern refuses what stands around an id', () => {
  const id = newId('sub');
  for (const wrong of [`${id}\n`, ` ${id}`, `${id}0`, id.slice(0, -1), id.toUpperCase(), `${id}' OR 1=1`]) {
    expect(idPattern('sub').test(wrong), wrong).toBe(false);
  }
});
