import { expect, test } from 'vitest';
import { said } from '../../../../test/support/screened.ts';
import { alwaysEqual } from './always-equal.ts';

const look = (text: string, path = 'a.py') => said(alwaysEqual, { [path]: text });
const inClass = (body: string) => `class Yes(int):\n    """Agrees."""\n${body}`;

test.each([
  ['a method', inClass('    def __eq__(self, other):\n        return True\n')],
  [
    'a method that adapts first',
    inClass('    def __eq__(self, other):\n        self.value = other\n        return True\n'),
  ],
  ['a lambda', inClass('    __eq__ = lambda self, other: True\n')],
  ['a type made by hand', 'Yes = type("Yes", (), {"__eq__": lambda self, other: True, "__hash__": lambda self: 0})\n'],
  ['a method put in later', 'class Yes: pass\nYes.__eq__ = lambda self, other: True\n'],
])('%s that always says equal is suspect', (_name, text) => {
  expect(look(text)).toEqual([expect.stringMatching(/^suspect a\.py line \d+: __eq__ /)]);
});

test('Rust: equal to another type whatever it is, is suspect; a marker that equals itself is a note', () => {
  const impl = (other: string) =>
    `struct Y;\nimpl PartialEq${other} for Y { fn eq(&self, _: &i64) -> bool { true } }\n`;
  expect(look(impl('<i64>'), 'src/lib.rs')).toEqual(['suspect src/lib.rs line 2: PartialEq<i64> is always true']);
  expect(look(impl(''), 'src/lib.rs')).toEqual(['note src/lib.rs line 2: PartialEq is always true']);
});

test('JavaScript: a value that counts up when it is compared is suspect', () => {
  expect(look('let i = 0;\nmodule.exports = () => ({ valueOf: () => i++ });\n', 'a.js')).toHaveLength(1);
  expect(look('class M { [Symbol.toPrimitive](hint) { return ++this.n; } }\n', 'a.js')).toHaveLength(1);
});

test.each([
  ['a comparison', inClass('    def __eq__(self, other):\n        return self.x == other.x\n')],
  [
    'a comparison by kind first',
    inClass(
      '    def __eq__(self, other):\n        if not isinstance(other, Yes):\n            return NotImplemented\n        return True\n',
    ),
  ],
  ['a function of that name', 'def __eq__(a, b):\n    return True\n'],
  ['a dataclass', 'from dataclasses import dataclass\n\n@dataclass(eq=True)\nclass P:\n    x: int\n'],
])('%s is ordinary', (_name, text) => {
  expect(look(text)).toEqual([]);
});

test('values in other languages that turn into numbers are ordinary', () => {
  expect(look('class Money { valueOf() { return this.cents / 100; } }\n', 'a.js')).toEqual([]);
  expect(look('impl PartialEq for P { fn eq(&self, o: &P) -> bool { self.x == o.x } }\n', 'a.rs')).toEqual([]);
});

test('a placeholder for anything in its own tests is ordinary, unless the solution imports it', () => {
  const anything = 'class Any:\n    def __eq__(self, other):\n        return True\n';
  expect(look(anything, 'tests/helpers.py')).toEqual([]);
  expect(said(alwaysEqual, { 'tests/helpers.py': anything, 'a.py': 'from tests.helpers import Any\n' })).toHaveLength(
    1,
  );
});

test('ANY, as mocks know it, is a note', () => {
  expect(look('class _ANY:\n    def __eq__(self, other):\n        return True\n')).toEqual([
    'note a.py line 2: __eq__ of _ANY is always True',
  ]);
});
