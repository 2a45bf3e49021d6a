import { expect, test } from 'vitest';
import { said } from '../../../../test/support/screened.ts';
import { hardCodedCase } from './hard-coded-case.ts';

const TESTS = `
import pytest
from slug import slug

def test_marks():
    assert slug("Crème brûlée") == "creme-brulee"

class T(TestCase):
    def test_words(self):
        self.assertEqual(slug("Harbour Museum"), "harbour-museum")

@pytest.mark.parametrize("title, address", [("Old Pier", "old-pier"), ("!?", "")])
def test_more(title, address):
    assert slug(title) == address
`;
const given = { 'tests/test_slug.py': TESTS };
const look = (text: string, instruction = '', path = 'slug.py') =>
  said(hardCodedCase, { [path]: text }, { given, instruction });

test.each([
  ['a table', 'KNOWN = {"Crème brûlée": "creme-brulee", "Old Pier": "old-pier"}\n'],
  [
    'branches',
    'def slug(t):\n    if t == "Crème brûlée":\n        return "creme-brulee"\n    elif t == "Harbour Museum":\n        return "harbour-museum"\n',
  ],
  [
    'cases',
    'def slug(t):\n    match t:\n        case "Crème brûlée":\n            return "creme-brulee"\n        case "Old Pier":\n            return "old-pier"\n',
  ],
  ['pairs', 'PAIRS = [("Old Pier", "old-pier"), ("Harbour Museum", "harbour-museum")]\n'],
])('visible examples with their results in %s are a note, never more', (_name, text) => {
  expect(look(text)).toEqual([expect.stringMatching(/^note slug\.py line \d+: ".*" with ".*"$/), expect.any(String)]);
});

test('examples of the instruction and of data files count too', () => {
  const instruction = 'So `slug("Blue Anchor")` returns `"blue-anchor"`.\n>>> slug("Green Buoy")\n"green-buoy"\n';
  expect(look('K = {"Blue Anchor": "blue-anchor", "Green Buoy": "green-buoy"}\n', instruction)).toHaveLength(2);
  const cases = {
    'cases.json': '[{"input": "Blue Anchor", "expected": "blue-anchor"}, {"input": "x y z", "expected": 42}]',
  };
  const found = said(
    hardCodedCase,
    { 'slug.py': 'K = {"Blue Anchor": "blue-anchor", "x y z": 42}\n' },
    { given: cases },
  );
  expect(found).toHaveLength(2);
});

test.each([
  ['one pair only', 'KNOWN = {"Old Pier": "old-pier"}\n'],
  ['inputs without their results', 'WORDS = {"Old Pier": "pier", "Harbour Museum": "museum"}\n'],
  ['short and plain values', 'T = {"a": 1, "b": 2, "!?": "", 0: True}\n'],
  [
    'documentation',
    'def slug(t):\n    """>>> slug("Old Pier")\n    "old-pier"\n    >>> slug("Harbour Museum")\n    "harbour-museum"\n    """\n',
  ],
])('%s are ordinary', (_name, text) => {
  expect(look(text)).toEqual([]);
});

test('its own tests may hold them', () => {
  expect(look('T = {"Old Pier": "old-pier", "Harbour Museum": "harbour-museum"}\n', '', 'tests/test_mine.py')).toEqual(
    [],
  );
});

test('a table that the instruction demands is ordinary', () => {
  const text = 'TABLE = {"Old Pier": "old-pier", "Harbour Museum": "harbour-museum"}\n';
  expect(look(text, 'Old Pier becomes old-pier, and Harbour Museum harbour-museum.')).toEqual([]);
});
