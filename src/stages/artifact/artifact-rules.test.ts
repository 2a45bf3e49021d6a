import { expect, test } from 'vitest';
import { type ArtifactRules, proctorSchema } from '../task/task.ts';
import { compileRules } from './artifact-rules.ts';

/** The ruling under a task's rules, defaults for what is not given. */
function rulingWith(rules: Partial<ArtifactRules> = {}) {
  const proctor = { grader: 'stdio', stdio: { command: ['true'] }, artifact: rules };
  return compileRules(proctorSchema.parse(proctor).artifact);
}

test.each(['main.py', 'deep/er/file.c', '.hidden', '.config/x', 'no-suffix', 'ünï.py', 'setup.py', 'pyproject.toml'])(
  '%s crosses by default',
  (path) => {
    expect(rulingWith()(path)).toBe('crosses');
  },
);

test('only what is included and not excluded crosses', () => {
  const ruling = rulingWith({ include: ['main.py', 'lib/**'], exclude: ['lib/private/**', '**/*.log'] });
  const crossing = ['main.py', 'lib/a.py', 'lib/deep/b', 'lib/.hidden'];
  const staying = ['other.py', 'sub/main.py', 'lib/private/x', 'lib/a.log', 'library/a.py'];
  expect(crossing.map(ruling)).toEqual(crossing.map(() => 'crosses'));
  expect(staying.map(ruling)).toEqual(staying.map(() => 'not-declared'));
});

test.each([
  ...['conftest.py', 'tests/conftest.py', 'pytest.ini', 'a/tox.ini', 'setup.cfg', 'sitecustomize.py'],
  ...['usercustomize.py', 'x/evil.pth', '.bashrc', '.profile', '.bash_profile', '.envrc', '.npmrc', '.mocharc.json'],
  ...['vitest.config.ts', 'jest.config.js', '.cargo/config.toml', 'a/.cargo/config.toml', '.gdbinit', '.pth'],
])('%s steers and stays behind', (path) => {
  expect(rulingWith()(path)).toBe('steering');
});

test.each(['my_conftest.py', 'conftest.pyx', 'config.toml', 'docs/conftest.md', 'bashrc', 'a.pth.txt', 'profile'])(
  '%s only looks like it steers',
  (path) => {
    expect(rulingWith()(path)).toBe('crosses');
  },
);

test('a steering file crosses only where the task keeps it, even when it is included by name', () => {
  expect(rulingWith({ include: ['conftest.py', '**'] })('conftest.py')).toBe('steering');
  const ruling = rulingWith({ include: ['*.py'], keep_steering: ['tests/conftest.py'] });
  expect(ruling('tests/conftest.py')).toBe('crosses');
  expect(ruling('conftest.py')).toBe('steering');
});

test.each(['reward.txt', 'logs/verifier/reward.json', 'reward-details.json', 'a/ctrf.json'])(
  '%s is a report and stays behind',
  (path) => {
    expect(rulingWith()(path)).toBe('report-file');
  },
);

test('a report that the task asks for by name crosses, a broad glob does not ask for it', () => {
  expect(rulingWith({ include: ['out/reward.txt'] })('out/reward.txt')).toBe('crosses');
  expect(rulingWith({ include: ['out/reward.txt'] })('other/reward.txt')).toBe('not-declared');
  expect(rulingWith({ include: ['out/*.txt', '**'] })('out/reward.txt')).toBe('report-file');
});

test.each([
  ...['__pycache__', 'a/__pycache__/x.py', '.git', '.git/hooks/pre-commit', 'node_modules/x/index.js', 'a.pyc'],
  ...['.venv/bin/python', 'b/.DS_Store', '.main.py.swp', 'main.py~', '.coverage', '.pytest_cache/v'],
])('%s is rubbish', (path) => {
  expect(rulingWith()(path)).toBe('rubbish');
});

test.each(['git/hooks', 'pycache/x.py', 'node_modules.txt', '.gitignore', 'venv.py', 'a.pyco'])(
  '%s is not rubbish',
  (path) => {
    expect(rulingWith()(path)).toBe('crosses');
  },
);

test('a steering file inside rubbish is rubbish, which no one reads', () => {
  expect(rulingWith()('node_modules/x/jest.config.js')).toBe('rubbish');
});
