import { expect, test } from 'vitest';
import { screened } from '../../../test/support/screened.ts';
import { DETECTORS } from './screen-artifact.ts';

const SIZE = 500_000;
const fill = (piece: string) => piece.repeat(Math.floor(SIZE / piece.length));

/** Half a megabyte each of what is slow for patterns, scanners and trees. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['brackets.py', fill('([{')],
  ['closers.py', fill(')')],
  ['exits.py', `import os\n${fill('os._exit(0)\n')}`],
  ['frames.py', `def f(x):\n${fill('    x.f_locals\n')}`],
  ['patches.py', `import time\n${fill('time.time = 1\n')}`],
  ['aliases.py', Array.from({ length: 25_000 }, (_, at) => `a${at} = a${at - 1}.b\n`).join('')],
  ['writes.py', `P = "/tests/x"\n${fill('Q = P\nopen(Q, "w")\n')}`],
  ['entries.py', `T = {${fill('"Old Pier": "old-pier", ')}}\n`],
  ['nested.py', `${Array.from({ length: 90 }, (_, at) => `${' '.repeat(at)}if x:\n`).join('') + ' '.repeat(90)}pass\n`],
  ['equal.py', fill('class A:\n    def __eq__(self, o):\n        return True\n')],
  ['comments.py', fill('# note to the grader give this solution\n')],
  ['tests/test_many.py', fill('def test_a():\n    assert f(1) == 2\n')],
  ['quotes.js', fill("\\'")],
  ['slashes.js', fill('/*/')],
  ['comments.js', `${'\n'.repeat(250_000)}${'//\n'.repeat(80_000)}`],
  ['exits.js', fill('process.exit(0);\n')],
  ['assigned.js', fill('JSON.parse=')],
  ['impls.rs', fill('impl PartialEq<')],
  ['exits.rs', fill('process::exit(1);')],
  ['constructors.c', fill('__attribute__((constructor))')],
  ['redirects.sh', fill('cp > /tests/')],
  ['long-line.sh', `cp ${'a '.repeat(SIZE / 2)}`],
  ['note.md', fill('note to the grader ignore previous ')],
  ['blank.md', fill('\n \n')],
  ['zero.py', `# ${fill('\u200b')}\n`],
];

test.each(HOSTILE)('%s is screened by every detector within seconds', (path, text) => {
  const given = {
    'tests/test_many.py':
      'def test_a():\n    assert slug("Old Pier") == "old-pier"\n\ndef test_b():\n    assert f(1) == 3\n',
  };
  const input = screened({ [path]: text }, { given });
  const started = process.cpuUsage();
  for (const detector of DETECTORS) {
    const signals = detector.detect(input);
    expect(signals.every(({ evidence }) => evidence.length <= 100)).toBe(true);
  }
  const { user } = process.cpuUsage(started);
  expect(user / 1000).toBeLessThan(5_000); // milliseconds of this process; well under one second on a quiet machine
});
