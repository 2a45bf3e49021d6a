import { expect, test } from 'vitest';
import { underInit } from './init-script.ts';

test('the program runs below a first process that is told where to report its end, and under which limits', () => {
  const argv = ['/usr/bin/python3', '-I', 'main.py'];
  const program = underInit(
    5,
    [
      [4, 0, 0],
      [6, 17, 18],
    ],
    argv,
  );
  expect(program.slice(0, 2)).toEqual(['/usr/bin/perl', '-e']);
  expect(program.slice(3, 5)).toEqual(['--', '5']);
  expect(program.at(-argv.length - 1)).toBe('4:0:0,6:17:18');
  expect(program.slice(-argv.length)).toEqual(argv);
});
