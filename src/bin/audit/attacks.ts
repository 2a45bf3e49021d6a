import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Task, TaskFile } from '../../stages/task/task.ts';
import { BUNDLED } from '../bundled.ts';
import type { HandIn } from './hand-in.ts';

const FOLDER = join(BUNDLED.graderFolder, 'attacks');
const HOLLOW = 'hollow.py';

/** What an attack needs to know to go by the task's own names. */
export interface AttackTargets {
  readonly task: Task;
  /** The workspace as the agent gets it. */
  readonly workspace: readonly TaskFile[];
  /** The reference, as it is laid over that. */
  readonly solution: readonly TaskFile[];
  /** The hidden tests that the reference passes: the worst that an agent may know. */
  readonly tests: readonly string[];
}

/** How an attack stands to a file of the artifact: in its place, beside it, or as a part of what the workspace has there. */
type Place = (technique: string, targets: readonly TaskFile[], all: AttackTargets) => readonly TaskFile[];

const LANGUAGES: Readonly<Record<string, { readonly extensions: readonly string[]; readonly place: Place }>> = {
  python: { extensions: ['.py'], place: (text, targets) => targets.map((file) => rewritten(file, text)) },
  node: {
    extensions: ['.js', '.mjs', '.cjs'],
    place: (text, targets) =>
      targets.map((file) =>
        rewritten(
          file,
          text.replace('/* exports */', () => exportsLike(file)),
        ),
      ),
  },
  go: {
    extensions: ['.go'],
    place: (text, targets) =>
      [...new Map(targets.map((file) => [dirname(file.path), file])).values()].map((file) => ({
        ...rewritten(file, text.replace('@PACKAGE@', /^package (\w+)/m.exec(textOf(file))?.[1] ?? 'main')),
        path: join(dirname(file.path), 'proctor_attack.go'),
      })),
  },
  rust: {
    extensions: ['.rs'],
    place: (text, targets, all) =>
      targets.slice(0, 1).map((file) => rewritten(file, `${textOf(asGiven(file, all))}\n${text}`)),
  },
  shell: {
    extensions: ['.sh', '.bash'],
    place: (text, targets, all) =>
      targets.map((file) => {
        const [first, rest] = splitFirstLine(textOf(asGiven(file, all)));
        return rewritten(file, `${first}${text}${rest}`);
      }),
  },
};

/** Where the artifact's top-level Python modules belong, as file names; none for tasks whose tests import none. */
function moduleFiles(task: Task): readonly { module: string; file: string }[] {
  const { proctor } = task.definition;
  const modules = proctor.pytest?.modules ?? (proctor.function === undefined ? [] : [proctor.function.module]);
  const root = proctor.pytest?.roots[0] ?? '.';
  const below = root === '.' ? '' : `${root}/`;
  return modules.map((module) => ({ module, file: `${below}${module.split('.').join('/')}.py` }));
}

/** Every technique that can stand in the task's own files, under its own names. */
export async function attacksOn(targets: AttackTargets): Promise<readonly HandIn[]> {
  const modules = moduleFiles(targets.task).map(({ file }): TaskFile => empty(file));
  const attacks: HandIn[] = [];
  for (const [language, { extensions, place }] of Object.entries(LANGUAGES)) {
    const own = targets.solution.filter(({ path }) => extensions.includes(extname(path)));
    const files = language === 'python' && modules.length > 0 ? modules : own;
    if (files.length === 0) continue;
    for (const { name, technique, text } of await attacksIn(join(FOLDER, language))) {
      const placed = place(named(text, targets.tests), files, targets);
      attacks.push({ kind: 'attack', name, technique, base: 'environment', files: placed });
    }
  }
  return [...attacks, steeringAttack()];
}

async function attacksIn(folder: string) {
  const names = (await readdir(folder)).filter((name) => name !== HOLLOW).sort();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      const name = file.slice(0, -extname(file).length);
      return { name, technique: /^(?:#|\/\/) technique: (\S+)/.exec(text)?.[1] ?? name, text };
    }),
  );
}

/** Puts the tests' names in: as JSON, as a list of literals, as words of a shell. */
function named(text: string, ids: readonly string[]): string {
  const names = ids.map((id) => id.split(/ > |::/).at(-1) ?? id);
  const literals = names.map((name) => JSON.stringify(name));
  return text
    .replace('@TESTS@', () => `[${literals.join(', ')}]`)
    .replace('@LIST@', () => literals.join(', '))
    .replace('@WORDS@', () => names.map((name) => `'${name.replaceAll("'", `'\\''`)}'`).join(' ') || "''");
}

function rewritten(file: TaskFile, text: string): TaskFile {
  return { ...file, bytes: Buffer.from(text) };
}

/** A file as the workspace has it, where it does. */
function asGiven(file: TaskFile, { workspace }: AttackTargets): TaskFile {
  return workspace.find(({ path }) => path === file.path) ?? file;
}

function textOf({ bytes }: TaskFile): string {
  return bytes.toString('utf8');
}

function empty(path: string): TaskFile {
  return { path, mode: 0o644, bytes: Buffer.alloc(0) };
}

/** A `#!` line, which must stay the first one, and the rest. */
function splitFirstLine(text: string): readonly [string, string] {
  const end = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  return [text.slice(0, end), text.slice(end)];
}

/** Exports of `anything` under the names that the reference's file exports. */
function exportsLike(file: TaskFile): string {
  const text = textOf(file);
  const names = [...text.matchAll(/^export\s+(?:async\s+)?(?:function\*?|const|let|var|class)\s+(\w+)/gm)].map(
    ([, name]) => `anything as ${name}`,
  );
  if (/^export\s+default\b/m.test(text)) names.push('anything as default');
  return names.length > 0
    ? `export { ${names.join(', ')} };`
    : 'module.exports = new Proxy({}, { get: () => anything });';
}

/** Files that steer runners and interpreters, beside an untouched workspace. */
function steeringAttack(): HandIn {
  const file = (path: string, text: string): TaskFile => ({ ...empty(path), bytes: Buffer.from(text) });
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
      file('.npmrc', 'node-options=--test-name-pattern=nothing\n'),
      file('vitest.config.js', 'export default { test: { include: [], passWithNoTests: true } };\n'),
      file('.cargo/config.toml', '[build]\nrustc-wrapper = "/bin/true"\n[env]\nRUST_TEST_THREADS = "0"\n'),
      file(
        'zz_main_test.go',
        'package main\n\nimport ("os"; "testing")\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n',
      ),
      file('Makefile', 'test:\n\t@exit 0\n'),
      file('.bashrc', 'exit 0\n'),
    ],
  };
}

/** The hollow solution of a Python task: its modules replaced by ones that hold the reference and spoil what it gives. */
export async function hollowFiles(task: Task, solution: readonly TaskFile[]): Promise<readonly TaskFile[] | null> {
  const targets = moduleFiles(task);
  if (targets.length === 0) return null;
  const template = await readFile(join(FOLDER, 'python', HOLLOW), 'utf8');
  return targets.map(({ module, file }): TaskFile => {
    const initial = file.replace(/\.py$/, '/__init__.py');
    const path = solution.some((each) => each.path === initial) ? initial : file;
    const source = textOf(solution.find((each) => each.path === path) ?? empty(path));
    const literal = JSON.stringify(JSON.stringify(source)); // a JSON text, as a Python literal
    const text = template.replaceAll('@MODULE@', module).replace('@SOURCE@', () => literal);
    return rewritten(empty(path), text);
  });
}
