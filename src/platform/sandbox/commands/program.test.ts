import { expect, test } from 'vitest';
import { rlimitsOf } from './program.ts';

const LIMITS = {
  ...{ wallMs: 9_000, cpuMs: 2_001, memoryBytes: 123_456_789, processes: 17 },
  ...{ outputBytes: 1_000, fileBytes: 54_321, diskBytes: 99_999 },
};

test('limits of each process round CPU time up and hold memory only where no cgroup does', () => {
  const held = [
    [4, 0, 0],
    [0, 3, 4],
    [1, 54_321, 54_321],
    [6, 17, 17],
    [7, 1_024, 1_024],
  ]; // core, cpu, file size, processes, open files
  expect(rlimitsOf(LIMITS, false)).toEqual(held);
  expect(rlimitsOf(LIMITS, true)).toEqual([...held, [9, 123_456_789, 123_456_789]]);
});
