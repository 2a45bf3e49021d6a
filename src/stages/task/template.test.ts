import { expect, test } from 'vitest';
import { isTemplate, parseTemplate } from './template.ts';

/** Literal parts joined where they are empty, places as they are. */
const parts = (source: string) =>
  parseTemplate(source, 'instruction.md').filter((part) => !('literal' in part) || part.literal !== '');

test('a template is literal text and places with their lines', () => {
  expect(parts('a {{one}}\nb {{ two | json }}c')).toEqual([
    { literal: 'a ' },
    { parameter: 'one', filter: 'text', line: 1 },
    { literal: '\nb ' },
    { parameter: 'two', filter: 'json', line: 2 },
    { literal: 'c' },
  ]);
});

test('single braces and unclosed places are literal', () => {
  for (const source of ['{a}', '{{a', '{{a}', 'a}}', '', '$x {% y %}']) {
    expect(parseTemplate(source, 'f').map((part) => ('literal' in part ? part.literal : part))).toEqual([source]);
  }
});

test('four braces stand for two, so that braces can be written', () => {
  const joined = parseTemplate('{{{{one}} {{one}}', 'f').map((part) => ('literal' in part ? part.literal : '#'));
  expect(joined.join('')).toBe('{{one}} #');
});

test('braces around a place stay literal', () => {
  expect(parts('{{{one}}}')).toEqual([
    { literal: '{' },
    { parameter: 'one', filter: 'text', line: 1 },
    { literal: '}' },
  ]);
});

test.each(['python', 'csv', 'json', 'text'])('the filter %s is known', (filter) => {
  expect(parts(`{{a_1|${filter}}}`)).toEqual([{ parameter: 'a_1', filter, line: 1 }]);
});

test.each([
  ['{{}}', 'names no parameter'],
  ['{{ One }}', 'names no parameter'],
  ['{{a-b}}', 'names no parameter'],
  ['{{a.b|json}}', 'names no parameter'],
  ['{{1a}}', 'names no parameter'],
  ['{{a|yaml}}', 'unknown filter "yaml"; known: text, json, python, csv'],
  ['{{a|}}', 'unknown filter ""'],
])('%s is a fault of the task with its line', (place, why) => {
  const parse = () => parseTemplate(`one\ntwo\n${place}`, 'environment/x.tmpl');
  expect(parse).toThrow(
    expect.objectContaining({
      code: 'task-invalid',
      details: expect.objectContaining({ file: 'environment/x.tmpl', line: 3 }),
    }),
  );
  expect(parse).toThrow(why);
  expect(parse).toThrow(/^environment\/x\.tmpl:3: /);
});

test('the instruction and files with the suffix are templates, nothing else is', () => {
  expect(['instruction.md', 'environment/a.py.tmpl', 'x.tmpl'].every(isTemplate)).toBe(true);
  expect(['environment/instruction.md', 'a.tmpl.py', 'tests/oracle.py', 'task.toml'].some(isTemplate)).toBe(false);
});

test('a hundred thousand opening braces are split in no time', () => {
  const source = '{'.repeat(100_001);
  const literal = parseTemplate(source, 'f').map((part) => ('literal' in part ? part.literal : ''));
  expect(literal.join('')).toBe(`${'{{'.repeat(25_000)}{`);
});

test('a second filter is a fault, not text', () => {
  expect(() => parseTemplate('{{a|json|x}}', 'f')).toThrow(/unknown filter "json\|x"/);
});
