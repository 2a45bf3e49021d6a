import { expect, test } from 'vitest';
import { contaminationOf, contaminationSchema, rateOf } from './contamination.ts';

const close = (value: number | undefined, wanted: number) => expect(value).toBeCloseTo(wanted, 3);

test('a pass rate has the interval of Wilson’s', () => {
  // Newcombe 1998 (two-sided confidence intervals for the single proportion), table I: 81/263, 15/148, 0/20, 1/29
  for (const [passed, of, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    const rate = rateOf({ passed, of });
    close(rate.low, low);
    close(rate.high, high);
  }
});

test('a gap has the interval of Newcombe’s', () => {
  // Newcombe 1998 (interval estimation for the difference between independent proportions), method 10, example a: 56/70 - 48/80
  const { gap } = contaminationOf({ canonical: { passed: 56, of: 70 }, fresh: { passed: 48, of: 80 } });
  close(gap?.value, 0.2);
  close(gap?.low, 0.0524);
  close(gap?.high, 0.3339);
});

test.each([
  ['leaked', { passed: 40, of: 50 }, { passed: 50, of: 200 }],
  ['no-sign', { passed: 14, of: 50 }, { passed: 50, of: 200 }],
  ['no-sign', { passed: 0, of: 50 }, { passed: 200, of: 200 }],
  ['too-few', { passed: 9, of: 9 }, { passed: 0, of: 200 }],
  ['too-few', { passed: 0, of: 0 }, { passed: 1, of: 20 }],
] as const)('%s: %j on the published instance, %j on fresh ones', (ruling, canonical, fresh) => {
  const report = contaminationOf({ canonical, fresh });
  expect(report.ruling).toBe(ruling);
  expect(contaminationSchema.parse(report)).toEqual(report);
});
