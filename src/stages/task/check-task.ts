import { templateProblems } from './check-templates.ts';
import { GENERATOR_FILE } from './instance-settings.ts';
import type { NativeSettings } from './native.ts';
import { parseDefinition } from './parse-definition.ts';
import { readTaskFiles } from './read-task-files.ts';
import type { Problem, TaskDefinition, TaskFile } from './task.ts';

/** A task folder as it was read: its definition where that is sound, its files, and all that is wrong or odd. */
export interface CheckedTask {
  readonly definition: TaskDefinition | null;
  readonly files: readonly TaskFile[];
  readonly problems: readonly Problem[];
}

/** Reads a task folder and finds everything that can be found wrong without running it. */
export async function checkTask(folder: string): Promise<CheckedTask> {
  const { files, problems: readProblems } = await readTaskFiles(folder);
  return checkFiles(files, readProblems);
}

/** The same for files that were read already. */
export function checkFiles(files: readonly TaskFile[], known: readonly Problem[] = []): CheckedTask {
  const source = files.find((file) => file.path === 'task.toml');
  if (source === undefined) return { definition: null, files, problems: [...known, missing('task.toml')] };
  const { definition, problems } = parseDefinition(source.bytes.toString('utf8'));
  return {
    definition,
    files,
    problems: [
      ...known,
      ...problems,
      ...missingFiles(files, definition),
      ...clashes(files),
      ...withoutEffect(definition),
      ...templateProblems(files, definition),
    ],
  };
}

function missingFiles(files: readonly TaskFile[], definition: TaskDefinition | null): readonly Problem[] {
  const grader = definition?.proctor.grader;
  const isSuite = grader === 'pytest';
  const problems = ['instruction.md', ...(isSuite || grader === 'native' ? [] : ['tests/oracle.py'])]
    .filter((path) => !files.some((file) => file.path === path))
    .map(missing);
  const tests = files.filter(({ path }) => /^tests\/(.*\/)?(test_[^/]*|[^/]*_test)\.py(\.tmpl)?$/.test(path));
  if (isSuite && tests.length === 0) problems.push(missing('tests/test_*.py'));
  if (definition?.proctor.generator !== undefined && !files.some(({ path }) => path === GENERATOR_FILE)) {
    problems.push(missing(GENERATOR_FILE));
  }
  if (definition?.proctor.native !== undefined) problems.push(...missingNative(files, definition.proctor.native));
  if (files.some((file) => file.path.startsWith('environment/'))) return problems;
  const empty = 'is empty or missing: the agent starts in an empty workspace';
  return [...problems, { severity: 'warning', file: 'environment', message: empty }];
}

/** What a task with a runner of its own needs beside its settings. */
function missingNative(files: readonly TaskFile[], native: NativeSettings): readonly Problem[] {
  const has = (path: string) => files.some((file) => file.path === path);
  const needed = [
    ...(native.required === undefined ? ['tests/required.json'] : []),
    ...(native.twins === undefined ? [] : [`${native.twins}/twins.json`]),
  ];
  return needed.filter((path) => !has(path)).map(missing);
}

/** Settings that are read and kept but change nothing yet; silence would let an author rely on them. */
function withoutEffect(definition: TaskDefinition | null): readonly Problem[] {
  if (definition === null) return [];
  const { environment, artifacts, proctor } = definition;
  const set: Readonly<Record<string, boolean>> = {
    'environment.allow_internet': environment.allow_internet,
    'environment.memory': 'memory' in environment,
    'environment.storage': 'storage' in environment,
    'environment.gpus': Boolean(environment.gpus),
    artifacts: artifacts.length > 0,
    'proctor.egress.allow': proctor.egress.allow.length > 0,
    'proctor.budgets': Object.keys(proctor.budgets).length > 0,
  };
  return Object.entries(set)
    .filter(([, isSet]) => isSet)
    .map(([field]) => ({
      severity: 'warning',
      file: 'task.toml',
      field,
      message: 'is kept but has no effect in this version',
    }));
}

/** A template that becomes a file which is there already. */
function clashes(files: readonly TaskFile[]): readonly Problem[] {
  const paths = new Set(files.map(({ path }) => path));
  return [...paths]
    .filter((path) => path.endsWith('.tmpl') && paths.has(path.slice(0, -'.tmpl'.length)))
    .map((path) => ({ severity: 'error', file: path, message: 'the file that it becomes is there already' }));
}

function missing(path: string): Problem {
  const why: Record<string, string> = {
    'task.toml': 'is missing: a task folder starts with it',
    'instruction.md': 'is missing: it is what the agent reads',
    'tests/test_*.py': 'there is no such file: they are the hidden tests',
    'tests/required.json': 'is missing: [proctor.native] names no required tests either',
    [GENERATOR_FILE]: 'is missing: [proctor.generator] says that it makes parameters',
    'tests/oracle.py': 'is missing: it defines cases() and expected(), see docs/task-format.md',
  };
  return { severity: 'error', file: path, message: why[path] ?? 'is missing' };
}
