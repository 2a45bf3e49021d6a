import { expect, test } from 'vitest';
import { parseDefinition } from './parse-definition.ts';

const SOUND = `[task]
name = "house/task"

[proctor]
grader = "stdio"

[proctor.stdio]
command = ["python3", "main.py"]
`;

/** Problems as `line field: message`, in the order found. */
const problemsOf = (source: string) =>
  parseDefinition(source).problems.map(({ severity, file, line, field, message }) => ({
    ...{ severity, place: `${file}:${line ?? '?'}`, field, message },
  }));

test('the least sound definition is filled with defaults', () => {
  const { definition, problems } = parseDefinition(SOUND);
  expect(problems).toEqual([]);
  expect(definition?.proctor).toMatchObject({
    ...{
      grader: 'stdio',
      snapshot: 'host',
      isolation: 'namespaced',
      policy: 'default',
      scoring: 'all',
      case_timeout_sec: 5,
      max_cases: 100,
    },
    artifact: { include: ['**'], exclude: [], keep_steering: [], links: 'drop', max_files: 2_000, max_depth: 20 },
    stdio: { command: ['python3', 'main.py'], build_timeout_sec: 30 },
  });
});

test('a broken line is named with its place, and nothing is guessed', () => {
  const { definition, problems } = parseDefinition('[task]\nname = "a"\nthis is no TOML\n');
  expect(definition).toBeNull();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ severity: 'error', file: 'task.toml', line: 3 });
  expect(problems[0]?.message).toMatch(/^not TOML: .+ \(column \d+\)$/);
});

test('a field that is set twice is a broken line', () => {
  expect(problemsOf('[task]\nname = "a"\nname = "b"\n')).toMatchObject([{ severity: 'error', place: 'task.toml:3' }]);
});

test('an unknown field of Harbor’s tables is a warning and the definition stands', () => {
  const { definition, problems } = parseDefinition(`colour = "red"\n${SOUND}[environment]\nmemry_mb = 5\n`);
  expect(definition?.task.name).toBe('house/task');
  expect(problems).toMatchObject([
    { severity: 'warning', line: 1, field: 'colour' },
    { severity: 'warning', line: 11, field: 'environment.memry_mb' },
  ]);
});

test('an unknown field in [proctor] or below it is an error at its line', () => {
  const source = SOUND.replace('grader = "stdio"', 'grader = "stdio"\ngarder = 1').concat('shell = true\n');
  expect(parseDefinition(source).definition).toBeNull();
  expect(problemsOf(source)).toEqual([
    {
      severity: 'error',
      place: 'task.toml:10',
      field: 'proctor.stdio.shell',
      message: 'is not a field that Proctor knows',
    },
    { severity: 'error', place: 'task.toml:6', field: 'proctor.garder', message: 'is not a field that Proctor knows' },
  ]);
});

test('all faults are told at once, warnings after them', () => {
  const source = `titel = "x"
[task]
name = "has spaces"
[environment]
memory_mb = 1
[proctor]
grader = "stdio"
scoring = "most"
max_cases = 0
[proctor.stdio]
command = []
`;
  expect(problemsOf(source).map(({ severity, place, field }) => [severity, place, field])).toEqual([
    ['error', 'task.toml:3', 'task.name'],
    ['error', 'task.toml:5', 'environment.memory_mb'],
    ['error', 'task.toml:8', 'proctor.scoring'],
    ['error', 'task.toml:9', 'proctor.max_cases'],
    ['error', 'task.toml:11', 'proctor.stdio.command.0'],
    ['warning', 'task.toml:1', 'titel'],
  ]);
});

test('a grader without its table is an error that names the table', () => {
  const source = SOUND.replace('grader = "stdio"', 'grader = "function"');
  expect(problemsOf(source)).toMatchObject([
    { severity: 'error', field: 'proctor.function', message: 'grader = "function" needs a table [proctor.function]' },
  ]);
});

test('a definition without [proctor] says that it is missing', () => {
  expect(problemsOf('[task]\nname = "a"\n')).toMatchObject([{ severity: 'error', field: 'proctor' }]);
});

test.each([
  ['include = ["/etc/**"]', 'proctor.artifact.include.0'],
  ['include = ["a/../../b"]', 'proctor.artifact.include.0'],
  ['include = []', 'proctor.artifact.include'],
  ['exclude = ["ok", ".."]', 'proctor.artifact.exclude.1'],
  ['max_depth = 41', 'proctor.artifact.max_depth'],
  ['links = "follow"', 'proctor.artifact.links'],
])('the artifact rule %s is refused at its line', (rule, field) => {
  const problems = problemsOf(`${SOUND}[proctor.artifact]\n${rule}\n`);
  expect(problems.map((problem) => [problem.severity, problem.place, problem.field])).toEqual([
    ['error', 'task.toml:10', field],
  ]);
});

test.each([
  ['type = "integer"\nmin = 5\nmax = 4', 'min is greater than max'],
  ['type = "integer"\nmin = -9007199254740991\nmax = 9007199254740991', 'the range is wider than 2^53'],
  ['type = "dice"', 'Invalid'],
  ['type = "words"\ncount = 201', '200'],
  ['type = "choice"\nof = []', '>=1'],
  ['type = "text"\nwords = 2\nlength = 3', 'is not a field that Proctor knows'],
])('a parameter with %j is refused', (lines, message) => {
  const problems = problemsOf(`${SOUND}[proctor.parameters.x]\n${lines}\n`);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ severity: 'error', message: expect.stringContaining(message) });
  expect(problems[0]?.field).toMatch(/^proctor\.parameters\.x/);
});
