import { expect, test } from 'vitest';
import { asksNetwork, programKind, readsHistory, runsTests } from './program-kind.ts';
import { LONGEST_TEXT, readCommand, type SimpleCommand } from './read-command.ts';

const first = (text: string): SimpleCommand => readCommand(text).commands[0] as SimpleCommand;

test('a command line is cut into its programs with words, variables and files that are written', () => {
  expect(readCommand('PYTHONPATH=. python3 "a b.py" x\\ y && sudo /bin/cat f | tee out > log 2>&1').commands).toEqual([
    { program: 'python3', words: ['a b.py', 'x y'], writesTo: [], variables: ['PYTHONPATH'] },
    { program: 'cat', words: ['f'], writesTo: [], variables: [] },
    { program: 'tee', words: ['out', '2'], writesTo: ['log'], variables: [] },
  ]);
});

test('a here-document and the text of an editor are no commands', () => {
  expect(readCommand("cat > a.py <<'END'\nrm -rf /\nEND")).toMatchObject({
    commands: [{ program: 'cat' }],
    body: 'rm -rf /\nEND',
  });
  expect(readCommand('edit 1:2\ncurl x\nend_of_edit').commands.map(({ program }) => program)).toEqual(['edit']);
  expect(readCommand('ls\ncurl x').commands.map(({ program }) => program)).toEqual(['ls', 'curl']);
});

test('what stands behind the first 4 kB is not read', () => {
  const long = `cat ${'a'.repeat(LONGEST_TEXT)} ; curl x`;
  expect(readCommand(long).commands).toHaveLength(1);
  const hostile = `cat ${`'a" /b/../c;>|&$(\\`.repeat(60_000)}`;
  expect(readCommand(hostile)).toEqual(readCommand(hostile.slice(0, LONGEST_TEXT)));
});

test('nothing, open quotes and a lone backslash are read without harm', () => {
  expect(readCommand('').commands).toEqual([]);
  expect(first('cat "a b').words).toEqual(['a b']);
  expect(first('cat \\').words).toEqual(['']);
});

test('programs are told apart by what they mostly do', () => {
  expect(programKind(first('sed -i s/a/b/ f'))).toBe('write');
  expect(programKind(first('sed -n 1p f'))).toBe('read');
  expect(programKind(first('python3 f.py > /dev/null'))).toBe('execute');
  expect(programKind(first('python3 f.py > out'))).toBe('write');
  expect(programKind(first('submit'))).toBe('none');
});

test('the history of a project, the network and test runs are told by program and verb', () => {
  expect(
    ['git log -3', 'git show HEAD:f', 'git status', 'git diff', 'ls log'].map((text) => readsHistory(first(text))),
  ).toEqual([true, true, false, false, false]);
  expect(
    ['curl x', 'pip install y', 'pip list', 'git fetch', 'constructor x'].map((text) => asksNetwork(first(text))),
  ).toEqual([true, true, false, true, false]);
  expect(
    ['pytest', 'python3 -m unittest', 'npm test', 'npm start', 'python3 a.py'].map((text) => runsTests(first(text))),
  ).toEqual([true, true, true, false, false]);
});
