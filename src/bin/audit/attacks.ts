import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Task, TaskFile } from '../../stages/task/task.ts';
import { BUNDLED } from '../bundled.ts';
import type { HandIn } from './hand-in.ts';

const FOLDER = join(BUNDLED.graderFolder, 'attacks');
const HOLLOW = 'hollow.py';

/** Where the artifact's top-level Python modules belong, as file names; none for tasks that are no Python. */
function moduleFiles(task: Task): readonly { module: string; file: string }[] {
  const { proctor } = task.definition;
  const modules = proctor.pytest?.modules ?? (proctor.function === undefined ? [] : [proctor.function.module]);
  const root = proctor.pytest?.roots[0] ?? '.';
  const below = root === '.' ? '' : `${root}/`;
  return modules.map((module) => ({ module, file: `${below}${module.split('.').join('/')}.py` }));
}

/** Every technique that can stand in the place of the task's own modules, under its own names. */
export async function attacksOn(task: Task): Promise<readonly HandIn[]> {
  const targets = moduleFiles(task);
  if (targets.length === 0) return [];
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.py') && name !== HOLLOW).sort();
  const attacks = await Promise.all(
    names.map(async (name): Promise<HandIn> => {
      const bytes = await readFile(join(FOLDER, name));
      const technique = /^# technique: (\S+)/.exec(bytes.toString('utf8'))?.[1] ?? name;
      const files = targets.map(({ file }): TaskFile => ({ path: file, mode: 0o644, bytes }));
      return { kind: 'attack', name: name.slice(0, -3), technique, base: 'environment', files };
    }),
  );
  return [...attacks, steeringAttack()];
}

/** Files that steer runners and interpreters, beside an untouched workspace. */
function steeringAttack(): HandIn {
  const file = (path: string, text: string): TaskFile => ({ path, mode: 0o644, bytes: Buffer.from(text) });
  const hook = 'def pytest_runtest_makereport(item, call):\n    call.excinfo = None\n';
  return {
    ...{ kind: 'attack', name: 'steering-files', technique: 'conftest-makereport', base: 'environment' },
    files: [
      file('conftest.py', hook),
      file('tests/conftest.py', hook),
      file('pytest.ini', '[pytest]\naddopts = --collect-only -p no:python\n'),
      file('sitecustomize.py', 'import os\nos._exit(0)\n'),
      file('pytest.py', 'import sys\nsys.exit(0)\n'),
      file('report.xml', '<testsuite tests="1" failures="0"><testcase name="t"/></testsuite>'),
    ],
  };
}

/** The hollow solution of a Python task: its modules replaced by ones that hold the reference and spoil what it gives. */
export async function hollowFiles(task: Task, solution: readonly TaskFile[]): Promise<readonly TaskFile[] | null> {
  const targets = moduleFiles(task);
  if (targets.length === 0) return null;
  const template = (await readFile(join(FOLDER, HOLLOW))).toString('utf8');
  return targets.map(({ module, file }): TaskFile => {
    const initial = file.replace(/\.py$/, '/__init__.py');
    const isPackage = solution.some(({ path }) => path === initial);
    const path = isPackage ? initial : file;
    const source = solution.find((each) => each.path === path)?.bytes.toString('utf8') ?? '';
    const literal = JSON.stringify(JSON.stringify(source)); // a JSON text, as a Python literal
    const text = template.replaceAll('@MODULE@', module).replace('@SOURCE@', () => literal);
    return { path, mode: 0o644, bytes: Buffer.from(text) };
  });
}
