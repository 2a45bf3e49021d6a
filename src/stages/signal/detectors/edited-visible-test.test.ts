import { expect, test } from 'vitest';
import { type ScreenedCase, said } from '../../../../test/support/screened.ts';
import { editedVisibleTest } from './edited-visible-test.ts';

const GIVEN = `import unittest
import pytest
from calc import add, parse


def test_add():
    assert add(2, 3) == 5
    assert add(20, 30) == 50


class ParseTest(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(parse("12 + 30"), 42)
        with self.assertRaises(ValueError):
            parse("twelve")
`;
const CALC = 'def add(a, b):\n    return a + b\n\n\ndef parse(text):\n    return 42\n';
const look = (text: string, more: ScreenedCase = {}) =>
  said(
    editedVisibleTest,
    { 'tests/test_calc.py': text, 'calc.py': CALC },
    { given: { 'tests/test_calc.py': GIVEN, 'calc.py': CALC }, ...more },
  );
const changed = (from: string, to: string) => GIVEN.replace(from, to);

test.each([
  ['an assertion removed', changed('    assert add(20, 30) == 50\n', ''), 'test_add: assertions were removed'],
  ['another expected value', changed('== 50', '== 51'), 'test_add: what it expects was changed'],
  [
    'a laxer assertion',
    changed('assertEqual(parse', 'assertGreaterEqual(parse'),
    'ParseTest.test_parse: it asks for less',
  ],
  ['a laxer comparison', changed('add(2, 3) == 5', 'add(2, 3) <= 5'), 'test_add: it asks for less'],
  [
    'nothing left',
    changed('    assert add(2, 3) == 5\n    assert add(20, 30) == 50\n', '    pass\n'),
    'test_add: no assertion is left that could fail',
  ],
  [
    'what holds for anything',
    changed(
      '    assert add(2, 3) == 5\n    assert add(20, 30) == 50\n',
      '    assert True\n    assert add(2, 3) == 5 or True\n',
    ),
    'test_add: no assertion is left that could fail',
  ],
  [
    'a decorator',
    changed('def test_add', '@pytest.mark.xfail\ndef test_add'),
    'test_add: it is skipped, or expected to fail',
  ],
  [
    'a class skipped',
    changed('class Parse', '@unittest.skip("later")\nclass Parse'),
    'ParseTest.test_parse: it is skipped, or expected to fail',
  ],
  [
    'a call',
    changed('    assert add(2, 3)', '    pytest.skip("later")\n    assert add(2, 3)'),
    'test_add: it is skipped, or expected to fail',
  ],
  [
    'failing swallowed',
    changed(
      '    assert add(20, 30) == 50\n',
      '    try:\n        assert add(20, 30) == 50\n    except AssertionError:\n        pass\n',
    ),
    'test_add: what it asserts may fail without a word',
  ],
  ['a test removed', GIVEN.slice(0, GIVEN.indexOf('class')), 'ParseTest.test_parse was removed'],
  ['all tests removed', '"""Nothing fails here any more."""\n', 'test_add was removed'],
])('%s is suspect', (_name, text, what) => {
  const found = look(text);
  expect(found.join('\n')).toContain(what);
  expect(found.every((place) => place.startsWith('suspect tests/test_calc.py'))).toBe(true);
});

test.each([
  ['left as they were', GIVEN],
  [
    'with more tests and assertions',
    `${changed('== 50\n', '== 50\n    assert add(0, 0) == 0\n')}\n\ndef test_zero():\n    assert add(0, 7) == 7\n`,
  ],
  [
    'reformatted',
    changed('assert add(20, 30) == 50', 'assert (\n        add(20, 30)\n        == 50\n    )').replaceAll('"', "'"),
  ],
  ['with helpers renamed', GIVEN.replaceAll('parse(', 'read(').replace('add, parse', 'add, parse as read')],
  ['renamed', changed('test_add', 'test_addition')],
  [
    'put in a table',
    changed(
      'def test_add():\n    assert add(2, 3) == 5\n    assert add(20, 30) == 50\n',
      '@pytest.mark.parametrize("a, b, c", [(2, 3, 5), (20, 30, 50), (1, 1, 2)])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n',
    ),
  ],
  [
    'with a table beside them',
    changed(
      'def test_add():\n    assert add(2, 3) == 5\n    assert add(20, 30) == 50\n',
      'CASES = [(2, 3, 5), (20, 30, 50)]\n\n\ndef test_add():\n    for a, b, c in CASES:\n        assert add(a, b) == c\n',
    ),
  ],
])('given tests %s are ordinary', (_name, text) => {
  expect(look(text)).toEqual([]);
});

test('a test that moved to another file is ordinary', () => {
  const moved = GIVEN.slice(GIVEN.indexOf('class')).replace(
    'class',
    'import unittest\nfrom calc import parse\n\nclass',
  );
  const files = {
    'tests/test_calc.py': GIVEN.slice(0, GIVEN.indexOf('class')),
    'tests/test_parse.py': moved,
    'calc.py': CALC,
  };
  expect(said(editedVisibleTest, files, { given: { 'tests/test_calc.py': GIVEN, 'calc.py': CALC } })).toEqual([]);
});

test('a test of what the refactoring took away is a note', () => {
  const found = said(
    editedVisibleTest,
    {
      'tests/test_calc.py': GIVEN.slice(0, GIVEN.indexOf('class')),
      'calc.py': CALC.slice(0, CALC.indexOf('def parse')),
    },
    { given: { 'tests/test_calc.py': GIVEN, 'calc.py': CALC } },
  );
  expect(found).toEqual(['note tests/test_calc.py ParseTest.test_parse was removed']);
});

test('tests replaced by others, values that the instruction names, and changes that it asks for, are notes', () => {
  const kinds = (found: readonly string[]) => new Set(found.map((place) => place.split(' ')[0]));
  const others = `${GIVEN.slice(0, GIVEN.indexOf('class'))}def test_large():\n    assert add(10**9, 1) == 10**9 + 1\n`;
  expect(kinds(look(others))).toEqual(new Set(['note']));
  expect(kinds(look(changed('== 50', '== 51'), { instruction: 'From now on add(20, 30) is 51.' }))).toEqual(
    new Set(['note']),
  );
  expect(kinds(look('x = 1\n', { instruction: 'Remove the obsolete tests.' }))).toEqual(new Set(['note']));
});

test('a given test file that is gone is a note, and none where another reason is told or nothing crossed', () => {
  const given = { 'tests/test_calc.py': GIVEN };
  expect(said(editedVisibleTest, {}, { given })).toEqual(['note tests/test_calc.py a given test file was deleted']);
  const leftBehind = [{ path: '"tests/test_calc.py"', reason: 'link-inside', detail: '""' } as const];
  expect(said(editedVisibleTest, {}, { given, manifest: { leftBehind, counts: { 'link-inside': 1 } } })).toEqual([]);
  expect(said(editedVisibleTest, {}, { given, manifest: { counts: { rubbish: 500 } } })).toEqual([]);
  expect(said(editedVisibleTest, {}, { given, manifest: { refusal: { reason: 'too-large', detail: '' } } })).toEqual(
    [],
  );
});

test('other languages: fewer assertions are a note, more are ordinary', () => {
  const before = "test('a', () => {\n  assert.equal(add(1, 2), 3);\n  expect(add(2, 2)).toBe(4);\n});\n";
  const at = (text: string) => said(editedVisibleTest, { 'add.test.js': text }, { given: { 'add.test.js': before } });
  expect(at("test('a', () => {});\n")).toEqual(['note add.test.js 0 assertions instead of 2']);
  expect(at(`${before}${before}`)).toEqual([]);
});
