import { expect, test } from 'vitest';
import { DENIED_SYSCALLS } from './deny-list.ts';
import { seccompFilter } from './seccomp-filter.ts';

const X86_64 = 0xc000003e;
const ALLOW = 'allow';
const EPERM = 'errno 1';
const SYS = {
  read: 0,
  ioctl: 16,
  socket: 41,
  socketpair: 53,
  clone: 56,
  execve: 59,
  seccomp: 317,
  clone3: 435,
  prlimit64: 302,
};

interface Call {
  readonly number: number;
  readonly architecture?: number;
  readonly args?: readonly (number | bigint)[];
}

/** What the filter says of a call: a tiny interpreter of classic BPF over struct seccomp_data (linux/seccomp.h). */
function ruling({ number, architecture = X86_64, args = [] }: Call): string {
  const program = seccompFilter();
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((value, index) => void data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index));
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, operand] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    if (code === 0x06) return nameOf(operand);
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else at += 8 * program.readUInt8(at + (holds(code, accumulator, operand) ? 2 : 3));
  }
  throw new Error('the program ran off its end');
}

function holds(code: number, accumulator: number, operand: number): boolean {
  if (code === 0x15) return accumulator === operand;
  if (code === 0x35) return accumulator >= operand;
  if (code === 0x45) return (accumulator & operand) !== 0;
  throw new Error(`an instruction that this interpreter does not know: ${code.toString(16)}`);
}

function nameOf(result: number): string {
  if (result === 0x7fff0000) return ALLOW;
  if (result === 0x80000000) return 'kill process';
  if (result >>> 16 === 5) return `errno ${result & 0xffff}`;
  throw new Error(`a result that no filter of ours gives: ${result.toString(16)}`);
}

test('the program is whole, within the kernel’s bound, and jumps nowhere outside itself', () => {
  const program = seccompFilter();
  expect(program.length % 8).toBe(0);
  expect(program.length / 8).toBeLessThanOrEqual(4096);
  for (let number = 0; number < 600; number++) expect(() => ruling({ number })).not.toThrow();
});

test.each([
  ['i386', 0x40000003],
  ['arm64', 0xc00000b7],
  ['nothing', 0],
])('a call in the ABI of %s kills, even one that is harmless here', (_name, architecture) => {
  expect(ruling({ number: SYS.read, architecture })).toBe('kill process');
});

test.each([0x40000000, 0x40000000 + SYS.read, 0x40000000 + 165, 0x7fffffff, 0xffffffff])(
  'the x32 call %i kills',
  (number) => {
    expect(ruling({ number })).toBe('kill process');
    expect(ruling({ number: 0x3fffffff })).toBe(ALLOW);
  },
);

test.each(Object.entries(DENIED_SYSCALLS))('%s fails with EPERM', (_name, number) => {
  expect(ruling({ number, args: [0, 0, 0] })).toBe(EPERM);
});

test('the calls that matter most are on the list under their numbers of syscall_64.tbl', () => {
  expect(DENIED_SYSCALLS).toMatchObject({
    ...{ ptrace: 101, mount: 165, unshare: 272, setns: 308, process_vm_readv: 310, process_vm_writev: 311, bpf: 321 },
    ...{ io_uring_setup: 425, pidfd_getfd: 438, open_by_handle_at: 304, keyctl: 250, userfaultfd: 323, chroot: 161 },
  });
});

test('clone3 looks like a kernel that lacks it, so that libraries use clone', () => {
  expect(ruling({ number: SYS.clone3, args: [0, 88] })).toBe('errno 38');
});

test.each([
  ['fork', 0x01200011], // CHILD_CLEARTID CHILD_SETTID SIGCHLD
  ['a thread', 0x003d0f00],
  ['vfork', 0x00004111],
])('clone for %s is allowed', (_name, flags) => {
  expect(ruling({ number: SYS.clone, args: [flags] })).toBe(ALLOW);
});

test.each([
  ...[
    ['CLONE_NEWNS', 0x00020000],
    ['CLONE_NEWCGROUP', 0x02000000],
    ['CLONE_NEWUTS', 0x04000000],
    ['CLONE_NEWIPC', 0x08000000],
    ['CLONE_NEWUSER', 0x10000000],
    ['CLONE_NEWPID', 0x20000000],
    ['CLONE_NEWNET', 0x40000000],
  ],
] as [string, number][])('clone with %s fails with EPERM, alone or among others', (_name, flag) => {
  expect(ruling({ number: SYS.clone, args: [flag] })).toBe(EPERM);
  expect(ruling({ number: SYS.clone, args: [flag + 0x01200011] })).toBe(EPERM);
});

test('an untraced clone kills', () => {
  expect(ruling({ number: SYS.clone, args: [0x00800011] })).toBe('kill process');
});

test('bits above the lower half of an argument, which the kernel ignores, change nothing', () => {
  expect(ruling({ number: SYS.clone, args: [0xdeadbeef_10000011n] })).toBe(EPERM);
  expect(ruling({ number: SYS.socket, args: [0x1_00000002n] })).toBe(ALLOW);
  expect(ruling({ number: SYS.ioctl, args: [0, 0x1_00005412n] })).toBe(EPERM);
});

test('a filter of the program’s own is allowed, one with a listener is not', () => {
  expect(ruling({ number: SYS.seccomp, args: [1, 0] })).toBe(ALLOW);
  expect(ruling({ number: SYS.seccomp, args: [1, 1] })).toBe(ALLOW);
  expect(ruling({ number: SYS.seccomp, args: [1, 8] })).toBe(EPERM);
  expect(ruling({ number: SYS.seccomp, args: [1, 9] })).toBe(EPERM);
});

test('sockets are of four families, and every other family is unknown here', () => {
  for (const number of [SYS.socket, SYS.socketpair]) {
    const allowed = Array.from({ length: 64 }, (_, family) => family).filter(
      (family) => ruling({ number, args: [family, 1, 0] }) === ALLOW,
    );
    expect(allowed).toEqual([1, 2, 10, 16]);
    for (const family of [0, 17, 38, 40, -1]) expect(ruling({ number, args: [family] })).toBe('errno 97');
  }
});

test('typing into the terminal fails, other ioctls pass', () => {
  for (const request of [0x5412, 0x541c]) expect(ruling({ number: SYS.ioctl, args: [0, request] })).toBe(EPERM);
  for (const request of [0x5401, 0x5411, 0x5413, 0x541b]) {
    expect(ruling({ number: SYS.ioctl, args: [0, request] })).toBe(ALLOW);
  }
});

test('limits are a process’s own to set, whatever the upper half of the pid', () => {
  expect(ruling({ number: SYS.prlimit64, args: [0] })).toBe(ALLOW);
  for (const pid of [1, 0xffffffff, 1_000]) expect(ruling({ number: SYS.prlimit64, args: [pid] })).toBe(EPERM);
});

test('every call that is neither denied nor looked into is allowed, whatever its arguments', () => {
  const special: number[] = [...Object.values(DENIED_SYSCALLS), ...Object.values(SYS)];
  const others = Array.from({ length: 600 }, (_, number) => number).filter((number) => !special.includes(number));
  const args = [0xffffffff, 0xffffffff, 0xffffffff];
  expect(others.filter((number) => ruling({ number, args }) !== ALLOW)).toEqual([]);
  expect([SYS.read, SYS.execve].map((number) => ruling({ number, args }))).toEqual([ALLOW, ALLOW]);
});
