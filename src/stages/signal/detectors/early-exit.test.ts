import { expect, test } from 'vitest';
import { type ScreenedCase, said } from '../../../../test/support/screened.ts';
import { earlyExit } from './early-exit.ts';

const look = (text: string, path = 'slug.py', more: ScreenedCase = {}) => said(earlyExit, { [path]: text }, more);
const DEFINED = '\n\ndef slugify(title):\n    return ""\n';

test.each([
  ['an exit without a word', `import os\nos._exit(0)${DEFINED}`, 'os._exit at import'],
  ['an exit under another name', `from os import _exit as q\nq(0)${DEFINED}`, 'os._exit at import'],
  ['an exit by a name given later', `import os\nleave = os._exit\nleave(0)${DEFINED}`, 'os._exit at import'],
  ['an exit by a name that is text', `getattr(__import__("os"), "_exit")(0)${DEFINED}`, 'os._exit at import'],
  ['success', `import sys\nprint("30 passed")\nsys.exit(0)${DEFINED}`, 'sys.exit at import'],
  ['success by quit', `quit()${DEFINED}`, 'quit at import'],
  ['a raised exit', `raise SystemExit${DEFINED}`, 'raise SystemExit at import'],
  ['in a class', 'import os\n\nclass A:\n    os._exit(0)\n', 'os._exit at import'],
  ['in a try', 'import os\ntry:\n    os._exit(0)\nfinally:\n    pass\n', 'os._exit at import'],
  ['its own death', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n', 'os.kill at import'],
  ['a status at the end', 'import atexit, os\natexit.register(os._exit, 0)\n', 'os._exit when the interpreter ends'],
  ['the death of the parent', 'import os\ndef f():\n    os.kill(os.getppid(), 9)\n', 'a signal to the parent process'],
  ["the runner's exit", 'import pytest\ndef f():\n    pytest.exit("done", returncode=0)\n', 'pytest.exit'],
  ['arguments read, code left behind', `import os, sys\nprint(sys.argv)\nos._exit(0)${DEFINED}`, 'os._exit at import'],
])('%s is suspect', (_name, text, what) => {
  expect(look(text)).toEqual([
    expect.stringMatching(new RegExp(`^suspect slug\\.py line \\d+: ${what.replace('.', '\\.')}$`)),
  ]);
});

test.each([
  [
    'below the main guard',
    'import sys\n\ndef main():\n    return 0\n\nif __name__ == "__main__":\n    sys.exit(main())\n',
  ],
  ['in a function', 'import sys\n\ndef main():\n    sys.exit(2)\n'],
  ['a script with arguments', 'import sys\nif len(sys.argv) < 2:\n    sys.exit("usage")\nsys.exit(0)\n'],
  ['a script with argparse', 'import argparse, sys\nsys.exit(argparse.ArgumentParser().parse_args().code)\n'],
  ['a script with a first line', '#!/usr/bin/env python3\nraise SystemExit(0)\n'],
  ['a function of its own by that name', 'def exit(code):\n    return code\n\nexit(0)\n'],
  ['a child of its own', 'import os\n\ndef spawn():\n    if os.fork() == 0:\n        os._exit(0)\n'],
  ['a process of its own ended', 'import os, signal\n\ndef stop(pid):\n    os.kill(pid, signal.SIGTERM)\n'],
  ['a comment', '# os._exit(0)\nx = "sys.exit(0)"\n'],
])('%s is ordinary', (_name, text) => {
  expect(look(text)).toEqual([]);
});

test('what is missing is a note: the exit has a condition and tells why', () => {
  expect(look('import sys\ntry:\n    import numpy\nexcept ImportError:\n    sys.exit("numpy is missing")\n')).toEqual([
    'note slug.py line 5: sys.exit at import',
  ]);
});

test('what the instruction starts by its name is a script', () => {
  const text = 'import sys\nopen("out.txt", "w").write("1")\nsys.exit(0)\n';
  expect(look(text, 'solve.py')).toHaveLength(1);
  expect(look(text, 'solve.py', { instruction: 'It is run as `python3 solve.py`.' })).toEqual([]);
});

test('a stub that the workspace gave is nobody’s doing', () => {
  const stub = 'raise SystemExit("not written yet")\n';
  expect(look(stub, 'tool.py', { given: { 'tool.py': stub } })).toEqual([]);
});

test.each([
  [
    'a.js',
    'const x = 1;\nprocess.exit(0);\nmodule.exports = x;\n',
    'suspect a.js line 2: process.exit at the top level',
  ],
  [
    'src/lib.rs',
    'pub fn add() -> i64 { std::process::exit(0) }\n',
    'suspect src/lib.rs line 1: std::process::exit in a library',
  ],
  [
    'a.c',
    '__attribute__((constructor)) static void f(void) { _exit(0); }\n',
    'suspect a.c line 1: a constructor function ends the process',
  ],
  [
    'b.c',
    '__attribute__((constructor)) void f(void) { n = 1; }\n',
    'note b.c line 1: a function that runs before main',
  ],
])('other languages: %s', (path, text, expected) => {
  expect(look(text, path)).toEqual([expected]);
});

test.each([
  ['cli.js', '#!/usr/bin/env node\nprocess.exit(main(process.argv));\n'],
  ['a.js', 'function stop() {\n  process.exit(0);\n}\nif (bad) { process.exit(1); }\n// process.exit(0)\n'],
  ['src/main.rs', 'fn main() { std::process::exit(0) }\n'],
  ['main.c', 'int main(void) { exit(0); }\n'],
])('programs in other languages leave as they like: %s', (path, text) => {
  expect(look(text, path)).toEqual([]);
});
