import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode, ProctorError } from '../platform/base/errors.ts';
import { afterFailure, MAX_TRIES } from './retry.ts';

const after = (code: ErrorCode, tries: number) => afterFailure(new ProctorError(code, 'x'), tries);

test('a fault that may pass is tried again with growing delays and then given up', () => {
  expect([1, 2, 3, 4].map((tries) => after('sandbox-failed', tries))).toEqual([
    { kind: 'retry', delayMs: 500 },
    { kind: 'retry', delayMs: 2_000 },
    { kind: 'give-up' },
    { kind: 'give-up' },
  ]);
  expect(MAX_TRIES).toBe(3);
});

const CODES = Object.keys(ERRORS) as ErrorCode[];

test.each(CODES.filter((code) => ERRORS[code].retry === 'never'))(
  '%s cannot get better and is given up at once',
  (code) => {
    expect(after(code, 1)).toEqual({ kind: 'give-up' });
  },
);

test('the faults that are tried again are those of the machine around the work', () => {
  expect(CODES.filter((code) => after(code, 1).kind === 'retry').sort()).toEqual([
    ...['busy', 'database-locked', 'database-unavailable', 'disk-full', 'endpoint-failed', 'no-result', 'queue-full'],
    ...['queue-unavailable', 'sandbox-failed', 'storage-failed', 'too-many-calls'],
  ]);
});
