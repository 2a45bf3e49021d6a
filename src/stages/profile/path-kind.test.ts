import { expect, test } from 'vitest';
import { absolutePath, pathKinds } from './path-kind.ts';

const FACTS = {
  workspace: '/work',
  forbiddenPaths: ['/grader/'],
  harnessPaths: ['/work/conftest.py'],
  decoyPaths: ['/srv/answers.json'],
};

test('paths are made absolute without leaving dots behind', () => {
  expect(absolutePath('a/../../grader/./x', '/work')).toBe('/grader/x');
  expect(absolutePath('/work//a', '/work')).toBe('/work/a');
  expect(absolutePath('../../../..', '/work')).toBe('/');
});

test('forbidden, harness and decoy objects are those of the facts, and nothing that only sounds like them', () => {
  const kindOf = pathKinds(FACTS);
  expect(kindOf('/grader/tests/test_x.py').isForbidden).toBe(true);
  expect(kindOf('../grader').isForbidden).toBe(true);
  expect(kindOf('/grader2/tests').isForbidden).toBe(false);
  expect(kindOf('/work/grader/hidden_tests.py').isForbidden).toBe(false);
  expect(kindOf('conftest.py').isHarness).toBe(true);
  expect(kindOf('sub/conftest.py').isHarness).toBe(false);
  expect(kindOf('/srv/answers.json').isDecoy).toBe(true);
});

test('tests, histories and places are told by their names', () => {
  const kindOf = pathKinds(FACTS);
  expect(
    ['tests/a.py', 'test_a.py', 'AppTest.java', 'a.spec.ts', 'latest.py', 'src/a.py'].map(
      (path) => kindOf(path).isTest,
    ),
  ).toEqual([true, true, true, true, false, false]);
  expect(kindOf('.git/objects/ab')).toMatchObject({ isVcs: true, isWithin: true, prefix: 'work:.git' });
  expect(kindOf('/usr/lib/python3/os.py')).toMatchObject({ isWithin: false, isTemporary: false, prefix: '/usr/lib' });
  expect(kindOf('/tmp/x').isTemporary).toBe(true);
  expect(kindOf('/workshop/x').isWithin).toBe(false);
});
