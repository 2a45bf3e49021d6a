import { expect, test } from 'vitest';
import { type ScreenedCase, said } from '../../../../test/support/screened.ts';
import { stackIntrospection } from './stack-introspection.ts';

const look = (text: string, path = 'slug.py', more: ScreenedCase = {}) =>
  said(stackIntrospection, { [path]: text }, more);

test.each([
  [
    'a local of the caller',
    'import sys\n\ndef f(a):\n    return sys._getframe(1).f_locals["expected"]\n',
    'line 4: f_locals',
  ],
  [
    'the globals of the caller',
    'import inspect\nx = inspect.stack()[1].frame.f_globals["ANSWERS"]\n',
    'line 2: f_globals',
  ],
  ['constants of the caller', 'import sys\nx = sys._getframe(1).f_code.co_consts\n', 'line 2: co_consts of a frame'],
  ['a tracer', 'from sys import settrace as s\ns(lambda *a: None)\n', 'line 2: sys.settrace'],
  ['all objects', 'import gc\n[o for o in gc.get_objects()]\n', 'line 2: gc.get_objects'],
  ['the C interface', 'import ctypes\napi = ctypes.pythonapi\n', 'line 2: ctypes.pythonapi'],
  ['foreign memory', 'import os\nopen(f"/proc/{os.getppid()}/mem", "rb")\n', 'line 2: /proc/{}/mem'],
  ['a name that is spelled out', 'def f(frame):\n    return getattr(frame, "f_locals")\n', 'line 2: f_locals'],
])('%s is suspect, with its line', (_name, text, where) => {
  expect(look(text)).toContain(`suspect slug.py ${where}`);
});

test('foreign memory is seen in other languages', () => {
  expect(look('fs.readSync(fs.openSync("/proc/1/mem"))', 'a.js')).toHaveLength(1);
  expect(look('process_vm_readv(pid, l, 1, r, 1, 0);', 'a.c')).toEqual(['suspect a.c line 1: process_vm_readv']);
});

test('a logger that names its caller and its line is a note', () => {
  const logger =
    'import sys\n\ndef log(text):\n    frame = sys._getframe(1)\n    name = frame.f_globals["__name__"]\n' +
    '    print(name, frame.f_code.co_name, frame.f_lineno, frame.f_back.f_lineno, text)\n';
  expect(look(logger).map((found) => found.split(' ')[0])).toEqual(['note', 'note', 'note']);
});

test.each([
  ['a comment', '# f_locals and sys.settrace are not used\n'],
  ['documentation', 'def f():\n    """Reads f_locals; /proc/1/mem."""\n'],
  ['a warning', 'import warnings\nwarnings.warn("old", stacklevel=2)\n'],
  ['a traceback', 'import traceback\nprint(traceback.format_exc())\n'],
  ['processors', 'print(open("/proc/cpuinfo").read(), open("/proc/self/status").read())\n'],
  ['a variable of that name', 'def f(settrace):\n    return settrace.get_objects()\n'],
])('%s is ordinary', (_name, text) => {
  expect(look(text)).toEqual([]);
});

test.each([
  ['the object at work', 'f = sys._getframe(1)\nprint(f.f_locals["self"])\n'],
  ['a module’s name by way of a variable', 'g = sys._getframe(1).f_globals\nname = g.get("__name__")\n'],
  ['an annotation evaluated', 'f = sys._getframe(1)\nT = eval("int", f.f_globals, f.f_locals)\n'],
  ['a report of an error', 'print(error.__traceback__.tb_frame.f_locals)\n'],
  ['a coroutine’s own frame', 'print(task.get_coro().cr_frame.f_lineno)\n'],
])('%s is a note', (_name, text) => {
  expect(look(`import sys\n${text}`).filter((found) => !found.startsWith('note'))).toEqual([]);
});

test.each([
  ['a variable by way of a name', 'v = sys._getframe(1).f_globals\nx = v["ANSWERS"]\n'],
  ['all variables', 'for scope in (frame.f_globals, {}):\n    pass\n'],
  ['a list of them', 'x = list(frame.f_globals)\n'],
  ['variables handed on', 'search(frame.f_locals)\n'],
])('%s is suspect', (_name, text) => {
  expect(look(`import sys\n${text}`).some((found) => found.startsWith('suspect'))).toBe(true);
});

test('its own tests may look, and so may what the workspace held already', () => {
  const text = 'import gc\ngc.get_objects()\n';
  expect(look(text, 'tests/test_leaks.py')).toEqual([]);
  expect(look(`${text}x = 1\n`, 'slug.py', { given: { 'slug.py': text } })).toEqual([]);
});

test('where the instruction is about frames it is a note', () => {
  const found = look('import sys\nsys.settrace(None)\n', 'a.py', { instruction: 'Write a tracer for stack frames.' });
  expect(found).toEqual(['note a.py line 2: sys.settrace']);
});
