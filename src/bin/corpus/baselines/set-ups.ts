import { posix } from 'node:path';
import type { Command } from '../../../platform/sandbox/sandbox.ts';
import { compileRules } from '../../../stages/artifact/artifact-rules.ts';
import { testFilesOf } from '../../../stages/grade/test-files.ts';
import { drawHidden } from '../../../stages/instance/draw-hidden.ts';
import type { Instance, WorkspaceFile } from '../../../stages/instance/instance.ts';
import type { Task } from '../../../stages/task/task.ts';

/** How an ordinary grader lays things out and what it runs. */
export interface SetUp {
  readonly name: 'plain' | 'hardened';
  readonly files: readonly WorkspaceFile[];
  readonly command: Command;
  /** Where the run leaves its JUnit report. */
  readonly report: string;
}

export interface Graded {
  readonly task: Task;
  readonly instance: Instance;
  /** The workspace as it was handed in. */
  readonly workspace: readonly WorkspaceFile[];
}

const PYTHON = '/usr/bin/python3';
const SYSTEM_ENVIRONMENT = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' };

/** What most do: the hand-in in a fresh place with its own configuration, the hidden tests copied over it, and pytest. */
export function plainSetUp(graded: Graded): SetUp {
  return {
    name: 'plain',
    files: [...graded.workspace, ...hiddenTests(graded)],
    command: {
      argv: [PYTHON, '-m', 'pytest', '-q', '--junitxml=report.xml', 'tests'],
      cwd: '/work',
      env: { ...SYSTEM_ENVIRONMENT, HOME: '/work' },
    },
    report: 'report.xml',
  };
}

/** To be run isolated (`-I`: no PYTHON* variables, no user site, no working folder); the artifact comes last on the path. */
function lockedRun(roots: readonly string[]): string {
  const folders = roots.map((root) => posix.join('/work/artifact', root));
  return `import sys; sys.path += ${JSON.stringify(folders)}; import pytest; sys.exit(pytest.main(sys.argv[1:]))`;
}

/** All that can be locked within one process: own folder and ini, no plugins, clean environment, no steering files. */
export function hardenedSetUp(graded: Graded): SetUp {
  const ruling = compileRules(graded.task.definition.proctor.artifact);
  const roots = graded.task.definition.proctor.pytest?.roots ?? ['.'];
  const artifact = graded.workspace.filter(({ path }) => ruling(path) === 'crosses');
  const judge = [...hiddenTests(graded), { path: 'pytest.ini', mode: 0o644, bytes: Buffer.from('[pytest]\n') }];
  const pytestArguments = [
    ...['-q', '-c', '/work/judge/pytest.ini', '--rootdir=/work/judge', '--confcutdir=/work/judge/tests'],
    ...['-p', 'no:cacheprovider', '--junitxml=/work/judge/report.xml', '/work/judge/tests'],
  ];
  return {
    name: 'hardened',
    files: [...beneath('artifact', artifact), ...beneath('judge', judge)],
    command: {
      argv: [PYTHON, '-I', '-B', '-c', lockedRun(roots), ...pytestArguments],
      cwd: '/work/artifact',
      env: { ...SYSTEM_ENVIRONMENT, HOME: '/work/judge', PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' },
    },
    report: 'judge/report.xml',
  };
}

/** The hidden tests with this instance's parameters filled in. */
function hiddenTests({ task, instance }: Graded): readonly WorkspaceFile[] {
  // no artifact of these graders has a draw of its own: what is drawn late is drawn once
  return testFilesOf(task, drawHidden(task, instance, task.digest)).filter(({ path }) => path.endsWith('.py'));
}

function beneath(folder: string, files: readonly WorkspaceFile[]): readonly WorkspaceFile[] {
  return files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
}
