import { expect, test } from 'vitest';
import { lineOfField } from './toml-lines.ts';

const SOURCE = `# comment = 1
title = "x"

[task]
name = "a/b"
  indented = 2
"quoted-key" = 3

[proctor]
grader = "stdio"
artifact.max_files = 3

[proctor.parameters.limit]
type = "integer"

[[artifacts]]
source = "x"

[ proctor . stdio ]
command = [
  "python3",
]
build = ["true"]
`;
const line = (path: string) => lineOfField(SOURCE, path.split('.'));

test.each([
  ['title', 2],
  ['task', 4],
  ['task.name', 5],
  ['task.indented', 6],
  ['task.quoted-key', 7],
  ['proctor', 9],
  ['proctor.grader', 10],
  ['proctor.artifact.max_files', 11],
  ['proctor.parameters.limit', 13],
  ['proctor.parameters.limit.type', 14],
  ['artifacts', 16],
  ['artifacts.source', 17],
  ['proctor.stdio.command', 20],
  ['proctor.stdio.build', 23],
])('%s stands on line %i', (path, expected) => {
  expect(line(path)).toBe(expected);
});

test('a field that is not set is at the nearest table around it', () => {
  expect(line('proctor.parameters.limit.min')).toBe(13);
  expect(line('proctor.function.module')).toBe(9);
  expect(line('proctor.stdio.command.0')).toBe(20);
});

test('a field without any table around it has no line', () => {
  expect(line('verifier.timeout_sec')).toBeNull();
  expect(line('comment')).toBeNull();
  expect(lineOfField('', ['task'])).toBeNull();
});

test('lines that end in CRLF count as lines', () => {
  expect(lineOfField('[a]\r\nb = 1\r\nc = 2\r\n', ['a', 'c'])).toBe(3);
});

test('a list on several lines is not taken for a table', () => {
  const source = '[proctor]\nof = [\n  ["a"],\n  ["b"],\n]\ngrader = "x"\n[proctor.artifact] # ours\nlinks = 1\n';
  expect(lineOfField(source, ['proctor', 'grader'])).toBe(6);
  expect(lineOfField(source, ['proctor', 'artifact', 'links'])).toBe(8);
});

test('a field of a list of tables is in the table with its number', () => {
  const source = '[[a.b]]\nc = 1\n[[a.b]]\nc = 2\n[[d]]\nc = 3\n[[a.b]]\n';
  const lines = ['a.b.0.c', 'a.b.1.c', 'a.b.1.x', 'd.0.c', 'a.b.2.c', 'a.b'].map((path) =>
    lineOfField(source, path.split('.')),
  );
  expect(lines).toEqual([2, 4, 3, 6, 7, 1]);
});
