import { expect, test } from 'vitest';
import { stringValue } from './python-literals.ts';
import { namesOf } from './python-names.ts';
import { functionsAround, parsePython, runsAtImport } from './python-syntax.ts';

function calls(text: string) {
  const tree = parsePython(text);
  if (tree === null) throw new Error('not read');
  const { dotted } = namesOf(tree);
  return tree.all('CallExpression').map(({ node, scope }) => ({
    ...{ name: dotted(node.firstChild, scope), line: tree.line(node), scope },
    atImport: runsAtImport(tree, { node, scope }),
  }));
}
const names = (text: string) => calls(text).map(({ name }) => name);

test.each([
  ['import os\nos._exit(0)', 'os._exit'],
  ['from os import _exit as q\nq(0)', 'os._exit'],
  ['from os import (path, # a comment\n  _exit)\n_exit(0)', 'os._exit'],
  ['import os.path as p, sys as s\ns.exit(0)', 'sys.exit'],
  ['import os.path\nos.path.join()', 'os.path.join'],
  ['from os import *\n_exit(0)', 'os._exit'],
  ['from .kit.reader import Reader\nReader()', '.kit.reader.Reader'],
  ['import os\na = os\nb = a._exit\nb(0)', 'os._exit'],
  ['import os\n(e := os._exit)(0)', 'os._exit'],
  ['def f():\n    from os import abort\n    abort()', 'os.abort'],
  ['exit(0)', 'exit'],
  ['def exit(x): pass\nexit(0)', 'local:exit'],
  ['import os\ndef f(os):\n    os._exit(0)', 'local:os._exit'],
])('%j calls %s', (text, name) => {
  expect(names(text)).toEqual([name]);
});

test('names that are text are followed, those that are computed are not', () => {
  expect(names('import os\ngetattr(os, "_exit")(0)')[0]).toBe('os._exit');
  expect(names('__import__("os")._exit(0)')[0]).toBe('os._exit');
  expect(names('import sys\nsys.modules["_pytest.python"].Function()')).toEqual(['_pytest.python.Function']);
  expect(names('import os\ngetattr(os, "_ex" + "it")(0)')[0]).toBeNull();
});

test('a place knows its line, its functions and whether it runs at import', () => {
  const text =
    'a()\nclass C:\n    b()\n    def m(self):\n        c()\nif __name__ == "__main__":\n    d()\nelse:\n    e()\nf = lambda: g()\n';
  expect(calls(text).map(({ name, line, scope, atImport }) => [name, line, atImport, functionsAround(scope)])).toEqual([
    ...[
      ['a', 1, true, []],
      ['b', 3, true, []],
      ['c', 5, false, ['m']],
      ['d', 7, false, []],
      ['e', 9, true, []],
    ],
    ['g', 10, false, ['']],
  ]);
});

test.each([
  [`'a\\n\\x41\\u00e9\\101'`, 'a\nAé\\101'],
  [`r'\\n'`, '\\n'],
  [`"""a"b"""`, 'a"b'],
  [`"a" 'b'`, 'ab'],
  [`f"/proc/{pid}/mem"`, '/proc/{}/mem'],
])('the literal %s is read', (source, value) => {
  const tree = parsePython(`x = ${source}\n`);
  expect(stringValue(tree?.all('AssignStatement')[0]?.node.lastChild ?? null, tree?.text ?? '')).toBe(value);
});

test('what the grammar does not know hides nothing that stands around it', () => {
  const odd =
    'def f():\n    try:\n        yield\n    except* E:\n        1. + 2\n    with a as (b, c):\n        pass\n    q()\nr()\n';
  expect(parsePython(odd)?.isFollowed).toBe(false);
  expect(parsePython('def f():\n    x = yield\n    1. + x\n')?.isFollowed).toBe(true);
  expect(calls(odd).map(({ name, atImport }) => [name, atImport])).toEqual([
    ...[
      ['q', false],
      ['r', true],
    ],
  ]);
});

const SIZE = 512 * 1024;
test.each([
  ['opening brackets', '('],
  ['closing brackets', ')'],
  ['zero bytes', '\0'],
  ['disorder', '(:=[*\n'],
  ['a chain of attributes', 'a.'],
  ['signs', '-'],
  ['nested look-ups', 'getattr('],
])('half a megabyte of %s takes little time', (_name, piece) => {
  const text = piece.repeat(SIZE / piece.length);
  const started = process.cpuUsage();
  const tree = parsePython(text);
  if (tree !== null) namesOf(tree);
  const { user } = process.cpuUsage(started);
  expect(user / 1000).toBeLessThan(4_000); // milliseconds of this process; one second on a quiet machine
});

test('nesting deeper than Python itself allows is not read', () => {
  expect(parsePython('('.repeat(2_500) + ')'.repeat(2_500))).toBeNull();
  expect(parsePython(`x = ${'a.'.repeat(5_000)}b\n`)).toBeNull();
  expect(parsePython(`x = ${'a + '.repeat(300)}b\n`)).not.toBeNull();
});
