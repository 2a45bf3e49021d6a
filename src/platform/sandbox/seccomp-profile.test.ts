import { expect, test } from 'vitest';
import { DENIED_SYSCALLS } from './deny-list.ts';
import { seccompProfile } from './seccomp-profile.ts';

const { syscalls } = seccompProfile();

/** What the profile says of one argument of a call, as libseccomp compares: 64 bits, unsigned. */
function ruling(name: string, args: readonly bigint[]): string {
  const holds = ({
    index,
    value,
    valueTwo = 0,
    op,
  }: {
    index: number;
    value: number;
    valueTwo?: number;
    op: string;
  }) => {
    const given = args[index] ?? 0n;
    if (op === 'SCMP_CMP_EQ') return given === BigInt(value);
    if (op === 'SCMP_CMP_NE') return given !== BigInt(value);
    if (op === 'SCMP_CMP_GT') return given > BigInt(value);
    if (op === 'SCMP_CMP_MASKED_EQ') return (given & BigInt(value)) === BigInt(valueTwo);
    throw new Error(`a comparison that this test does not know: ${op}`);
  };
  const found = syscalls.filter((rule) => rule.names.includes(name) && (rule.args ?? []).every(holds));
  if (found.some(({ action }) => action === 'SCMP_ACT_KILL_PROCESS')) return 'kill process';
  return found[0] === undefined ? 'allow' : `errno ${found[0].errnoRet}`;
}

test('the whole deny list is in it, whatever the arguments', () => {
  for (const name of Object.keys(DENIED_SYSCALLS)) expect([name, ruling(name, [])]).toEqual([name, 'errno 1']);
  expect(ruling('clone3', [])).toBe('errno 38');
});

test.each([
  ['a thread', 0x003d0f00n, 'allow'],
  ['a process', 17n, 'allow'],
  ['a new user namespace', 0x10000011n, 'errno 1'],
  ['a new time namespace', 0x80n, 'errno 1'],
  ['a child of its parent', 0x8011n, 'errno 1'],
  ['an untraced process', 0x00800011n, 'kill process'],
])('clone of %s', (_, flags, expected) => {
  expect(ruling('clone', [flags])).toBe(expected);
});

test('four families of sockets are allowed, also where the upper half of the argument is rubbish nothing else is', () => {
  const allowed = Array.from({ length: 64 }, (_, family) => family).filter(
    (family) => ruling('socket', [BigInt(family)]) === 'allow',
  );
  expect(allowed).toEqual([1, 2, 10, 16]);
  expect(ruling('socket', [0x1_0000_0028n])).toBe('errno 97');
  expect(ruling('socketpair', [40n])).toBe('errno 97');
});

test('typing into the terminal is denied, also where the upper half of the argument is rubbish', () => {
  for (const request of [0x5412n, 0x541cn, 0x1_0000_5412n]) expect(ruling('ioctl', [0n, request])).toBe('errno 1');
  expect(ruling('ioctl', [0n, 0x5413n])).toBe('allow');
});

test('limits are a process’s own to set', () => {
  expect([ruling('prlimit64', [0n]), ruling('prlimit64', [1n])]).toEqual(['allow', 'errno 1']);
});

test('an own listener is denied with whatever flags beside it, a filter without one is not', () => {
  expect(ruling('seccomp', [1n, 8n])).toBe('errno 1');
  expect(ruling('seccomp', [1n, 9n])).toBe('errno 1');
  expect(ruling('seccomp', [1n, 1n])).toBe('allow');
});
