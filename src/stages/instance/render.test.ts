import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { render } from './render.ts';

const PARAMETERS = {
  count: -7,
  name: 'blue_moon',
  words: ['able', 'acorn'],
  numbers: [3, -1],
  rows: [
    { id: 1, label: 'plain' },
    { id: 2, label: 'with, comma' },
  ],
};
const HARD = 'a"b\\c\'d\n\t\u0001é\u2028\u{1f600}{{x}}';

const fill = (source: string, parameters: Parameters<typeof render>[2] = PARAMETERS) =>
  render(source, 'environment/a.tmpl', parameters);

test('places are filled and everything else stays as it is', () => {
  expect(fill('At most {{count}} of {{ name }}: {count} $name\r\n')).toBe('At most -7 of blue_moon: {count} $name\r\n');
});

test('a list is written as text with single spaces', () => {
  expect(fill('{{words}} / {{numbers|text}}')).toBe('able acorn / 3 -1');
});

test('four braces stand for two', () => {
  expect(fill('{{{{name}} is {{name}}')).toBe('{{name}} is blue_moon');
});

test('values are not templates themselves', () => {
  expect(fill('{{evil}}', { evil: '{{name}}', name: 'inner' })).toBe('{{name}}');
});

test('the filter json writes what JSON reads back', () => {
  for (const [name, value] of Object.entries({ ...PARAMETERS, hard: HARD })) {
    expect(JSON.parse(fill(`{{${name}|json}}`, { [name]: value }))).toEqual(value);
  }
});

test('the filter python writes literals that Python reads as the same values', () => {
  const parameters = { ...PARAMETERS, hard: HARD };
  const names = Object.keys(parameters);
  const source = `import json\nprint(json.dumps([${names.map((name) => `{{${name}|python}}`).join(', ')}]))\n`;
  const printed = execFileSync('/usr/bin/python3', ['-I', '-'], { input: fill(source, parameters), encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual(Object.values(parameters));
});

test('a table is written as CSV with a header and quotes where they are needed', () => {
  const rows = [
    { id: 1, label: 'plain', note: '' },
    { id: 2, label: 'with, comma', note: 'say "hi"' },
    { id: 3, label: 'two\nlines', note: 'back\rto' },
  ];
  expect(fill('{{rows|csv}}', { rows })).toBe(
    'id,label,note\n1,plain,\n2,"with, comma","say ""hi"""\n3,"two\nlines","back\rto"',
  );
});

test('Python’s own CSV reader gets the cells back', () => {
  const rows = [{ a: 'x,y', b: '"', c: ' padded ' }];
  const script =
    'import csv, io, json, sys; print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.read(), newline="")))))';
  const read = execFileSync('/usr/bin/python3', ['-I', '-c', script], {
    input: fill('{{rows|csv}}', { rows }),
    encoding: 'utf8',
  });
  expect(JSON.parse(read)).toEqual([
    ['a', 'b', 'c'],
    ['x,y', '"', ' padded '],
  ]);
});

test.each([
  ['{{count|csv}}', 'cannot be written with this filter'],
  ['{{words|csv}}', 'cannot be written with this filter'],
  ['{{rows}}', 'cannot be written with this filter'],
  ['{{unknown}}', 'is not a parameter of this task'],
  ['{{constructor}}', 'is not a parameter of this task'],
])('%s is a fault of the task, with file and line', (place, why) => {
  expect(() => fill(`one\ntwo ${place}`)).toThrow(
    expect.objectContaining({
      code: 'task-invalid',
      details: expect.objectContaining({ file: 'environment/a.tmpl', line: 2 }),
    }),
  );
  expect(() => fill(`one\ntwo ${place}`)).toThrow(why);
});
