import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type GateRequest, gateArguments, gateRequest, toldAtEnd } from './gate-script.ts';

const WORD = 'f'.repeat(32);
const REQUEST: GateRequest = {
  word: WORD,
  argv: ['/bin/sh', '-c', 'echo "$NAME"; cat'],
  cwd: '/tmp',
  environment: { NAME: 'a\nb=c', PATH: '/usr/bin:/bin' },
  limits: [[4, 0, 0]],
  links: [],
};

/** Runs the gate outside of any container, as the first process of a pid namespace of its own. */
function gate(request: Partial<GateRequest>, input = '') {
  const [program, ...rest] = gateArguments() as [string, ...string[]];
  const bytes = gateRequest({ ...REQUEST, ...request }) as Buffer;
  const { stdout, stderr, status } = spawnSync('unshare', ['--fork', '--pid', '--mount-proc', '--', program, ...rest], {
    input: Buffer.concat([bytes, Buffer.from(input)]),
  });
  return { stdout: stdout.toString(), stderr: stderr.toString(), status };
}

test.skipIf(process.getuid?.() !== 0)(
  'a gate runs its command with what is left of its input, and tells its end',
  () => {
    expect(gate({}, 'input')).toEqual({ stdout: 'a\nb=c\ninput', stderr: `ready\n${WORD} ended 0\n`, status: 0 });
  },
);

test.skipIf(process.getuid?.() !== 0)('a wait status is told as it is: codes and signals', () => {
  const ended = (script: string) => gate({ argv: ['/bin/sh', '-c', script] }).stderr.match(/ended (\d+)\n$/)?.[1];
  expect(['exit 139', 'kill -SEGV $$', 'exit 0'].map(ended)).toEqual(['35584', '11', '0']);
});

test.skipIf(process.getuid?.() !== 0)('what is left running is ended before the end is told', () => {
  const { stderr } = gate({ argv: ['/bin/sh', '-c', '(setsid sh -c "sleep 5; echo late >&2") & exit 3'] });
  expect(stderr).toBe(`ready\n${WORD} ended 768\n`);
});

test.each([
  ['a folder that is not there', { cwd: '/nowhere' }, /failed to enter \/nowhere/],
  ['a limit that cannot be set', { limits: [[99, 0, 0]] }, /failed to limit 99/],
  ['a link that is not there', { links: [{ descriptor: 7, way: '<', path: '/nowhere' }] }, /failed to open a link/],
] as const)('%s is told, and no end is', (_, changed, said) => {
  const [program, ...rest] = gateArguments() as [string, ...string[]];
  const { stderr, status } = spawnSync(program, rest, { input: gateRequest({ ...REQUEST, ...changed }) as Buffer });
  expect(stderr.toString()).toMatch(said);
  expect(toldAtEnd(stderr, WORD)).toBeNull();
  expect(status).not.toBe(0);
});

test('a gate whose input ends before it has a command ends too', () => {
  const [program, ...rest] = gateArguments() as [string, ...string[]];
  expect(spawnSync(program, rest, { input: '000000' }).status).toBe(125);
});

test('what cannot be passed to a program is no request', () => {
  expect(gateRequest({ ...REQUEST, argv: ['/bin/echo', 'a\0b'] })).toBeNull();
  expect(gateRequest({ ...REQUEST, environment: { A: '\0' } })).toBeNull();
});

test('only the last line is an end, and only behind the word', () => {
  expect(toldAtEnd(Buffer.from(`noise ${WORD} ended 256\n`), WORD)).toEqual({ status: 256, at: 6 });
  for (const text of [
    `${WORD} ended 0\nmore`,
    `${WORD} ended 0`,
    `${'e'.repeat(32)} ended 0\n`,
    `${WORD} ended -1\n`,
    '',
  ]) {
    expect(toldAtEnd(Buffer.from(text), WORD)).toBeNull();
  }
});
