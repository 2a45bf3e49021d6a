import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { asProctorError, ERRORS, errnoOf, ProctorError } from './errors.ts';

test('an error carries its code, its details, its cause and whose fault it is', () => {
  const cause = new Error('inner');
  const error = new ProctorError('digest-mismatch', 'changed', { digest: 'x' }, { cause });
  expect(error).toMatchObject({ code: 'digest-mismatch', message: 'changed', details: { digest: 'x' }, cause });
  expect(error.fault).toBe('evidence');
  expect(new ProctorError('not-found', 'gone').details).toEqual({});
});

test('what is a Proctor error already stays the same object', () => {
  const error = new ProctorError('conflict', 'twice');
  expect(asProctorError(error)).toBe(error);
});

test.each(['ENOSPC', 'EDQUOT'])('a disk without space (%s) is told apart from a defect', (code) => {
  const thrown = Object.assign(new Error('write failed'), { code });
  expect(asProctorError(thrown)).toMatchObject({ code: 'disk-full', details: { code }, cause: thrown });
});

test('anything else that is thrown is a defect with its message', () => {
  const thrown = Object.assign(new Error('odd'), { code: 'EACCES' });
  expect(asProctorError(thrown)).toMatchObject({ code: 'defect', message: 'odd', cause: thrown });
  expect(asProctorError('a text')).toMatchObject({ code: 'defect', message: 'a text' });
  expect(asProctorError(undefined)).toMatchObject({
    code: 'defect',
    message: 'something that is not an error was thrown',
  });
  expect(asProctorError(Object.create(null))).toMatchObject({ code: 'defect' });
});

test('the code of a system error is read where there is one', async () => {
  const missing = await readFile('/nonexistent/proctor').catch((thrown: unknown) => thrown);
  expect(errnoOf(missing)).toBe('ENOENT');
  for (const without of [null, undefined, 'ENOENT', new Error('x'), { code: 7 }]) {
    expect(errnoOf(without)).toBeUndefined();
  }
});

test('faults of the caller and of the task are never tried again, and each row says what to do', () => {
  for (const [code, row] of Object.entries(ERRORS)) {
    expect(row.httpStatus, code).toBeGreaterThanOrEqual(400);
    expect(row.effect.length * row.mend.length, code).toBeGreaterThan(0);
    // too much at once is nobody's mistake, and may go well later
    if (row.httpStatus === 429) continue;
    if (['caller', 'task', 'evidence', 'defect'].includes(row.fault)) expect(row.retry, code).toBe('never');
    expect(row.httpStatus >= 500, code).toBe(['platform', 'evidence', 'defect'].includes(row.fault));
  }
});
