import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseForm, readFields } from './form.ts';

const shape = z.object({ task: z.string().min(1), page: z.coerce.number().int().optional() });

test('texts of an address are what a database can be asked for, whatever was sent', () => {
  expect(readFields(shape, { task: 'a\u0000b\ud800', page: '2' })).toEqual({ task: 'a\ufffdb\ufffd', page: 2 });
  expect({ ...parseForm('task=%00&task=other') }).toEqual({ task: '\ufffd' });
});

test('a field that is wrong is named', () => {
  expect(() => readFields(shape, { task: '' })).toThrow(/^task: /);
  expect(() => readFields(shape, null)).toThrow(expect.objectContaining({ code: 'bad-request' }));
});
