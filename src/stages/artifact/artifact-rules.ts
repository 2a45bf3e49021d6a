import picomatch from 'picomatch';
import type { ArtifactRules } from '../task/task.ts';

/** What a path's name alone decides. */
export type PathRuling = 'crosses' | 'not-declared' | 'rubbish' | 'steering' | 'report-file';

/** Files that steer a test runner, an interpreter or a shell: they never take part in grading. */
const STEERING = [
  ...['conftest.py', 'pytest.ini', '.pytest.ini', 'tox.ini', 'setup.cfg', 'pytest_plugins.py'],
  ...['sitecustomize.py', 'usercustomize.py', '*.pth', 'entry_points.txt', 'pyvenv.cfg'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zshenv', '.envrc', '.pythonrc.py'],
  ...['.npmrc', '.yarnrc', '.mocharc.*', 'vitest.config.*', 'jest.config.*', '.cargo/config.toml', '.gdbinit'],
];

/** Names under which graders, not agents, leave their results (Harbor's verifier, CTRF); a task gets one by naming it. */
const REPORT_NAMES = ['reward.txt', 'reward.json', 'reward-details.json', 'ctrf.json'];

/** What work leaves lying about; it stays behind without a word, and its folders are not entered. */
const RUBBISH = [
  ...['__pycache__', '.git', '.hg', '.svn', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.venv', 'venv'],
  ...['node_modules', '.cache', '.idea', '.vscode', '.DS_Store', '*.pyc', '*.pyo', '*.swp', '*~', '.coverage'],
];

const steering = picomatch(STEERING, { dot: true });
const rubbish = picomatch(RUBBISH, { dot: true });

/** Compiles a task's rules to one question about a path relative to the workspace. */
export function compileRules(rules: ArtifactRules): (path: string) => PathRuling {
  const included = picomatch([...rules.include], { dot: true });
  const excluded = rules.exclude.length === 0 ? () => false : picomatch([...rules.exclude], { dot: true });
  const kept = rules.keep_steering.length === 0 ? () => false : picomatch([...rules.keep_steering], { dot: true });
  const asked = new Set(rules.include.map((pattern) => pattern.split('/').at(-1)));
  return (path) => {
    const segments = path.split('/');
    const name = segments.at(-1) ?? '';
    if (kept(path)) return 'crosses';
    if (segments.some((segment) => rubbish(segment))) return 'rubbish';
    if (steering(name) || steering(segments.slice(-2).join('/'))) return 'steering';
    if (REPORT_NAMES.includes(name) && !asked.has(name)) return 'report-file';
    return included(path) && !excluded(path) ? 'crosses' : 'not-declared';
  };
}
