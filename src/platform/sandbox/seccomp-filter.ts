import { DENIED_SYSCALLS } from './deny-list.ts';
import { ALLOWED_FAMILIES, CLONE, IOCTL, SECCOMP_FILTER_FLAG_NEW_LISTENER } from './seccomp-rules.ts';

/** One instruction of classic BPF: operation, jump if true, jump if false, operand (linux/filter.h). */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const IF_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const IF_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const failWith = (errno: number) => 0x00050000 | errno;
const ENOSYS = failWith(38);
const ASK_LISTENER = 0x7fc00000;
const ERRNO = { EPERM: 1, EAFNOSUPPORT: 97 } as const;

// offsets in struct seccomp_data (linux/seccomp.h), little-endian low halves of the arguments
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + 8 * index;

const AUDIT_ARCH_X86_64 = 0xc000003e;
const X32_BIT = 0x40000000;
/** Calls that are denied with some arguments only, by x86-64 number. */
export const PARTLY_DENIED = {
  clone: 56,
  clone3: 435,
  seccomp: 317,
  socket: 41,
  socketpair: 53,
  ioctl: 16,
  prlimit64: 302,
} as const;
const SYS = PARTLY_DENIED;

/** How denied calls fail, by x86-64 number: those that make a socket of a denied family, and all others. */
export const DENIED_ERRNO = {
  families: { calls: [SYS.socket, SYS.socketpair], errno: ERRNO.EAFNOSUPPORT },
  others: ERRNO.EPERM,
} as const;

/** What a denied call meets: an error of the kernel's, or a listener outside of the sandbox, which gives that error and tells. */
export type DeniedCalls = 'fail' | 'ask-listener';

/**
 * The seccomp filter of every sandbox as the bytes of a classic BPF program, for `bwrap --seccomp`.
 * Foreign ABIs and untraced clones kill; the deny list fails with EPERM; clone3 with ENOSYS, so that C libraries
 * fall back to clone, whose flags a filter can read. Limits are a process's own to set: the first process, which tells how a program
 * ended, is of the same user.
 */
export function seccompFilter(denied: DeniedCalls = 'fail'): Buffer {
  const deny = (errno: number) => (denied === 'fail' ? failWith(errno) : ASK_LISTENER);
  const EPERM = deny(ERRNO.EPERM);
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, AUDIT_ARCH_X86_64],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32_BIT],
    [RETURN, 0, 0, KILL_PROCESS],
    ...Object.values(DENIED_SYSCALLS).flatMap((number) => onCall(number, [[RETURN, 0, 0, EPERM]])),
    ...onCall(SYS.clone3, [[RETURN, 0, 0, ENOSYS]]),
    ...onCall(SYS.clone, [
      [LOAD, 0, 0, argument(0)],
      ...when(IF_ANY_BIT, CLONE.untraced, KILL_PROCESS),
      ...when(IF_ANY_BIT, CLONE.newAny, EPERM),
      ...when(IF_ANY_BIT, CLONE.parent, EPERM),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...onCall(SYS.seccomp, [
      [LOAD, 0, 0, argument(1)],
      ...when(IF_ANY_BIT, SECCOMP_FILTER_FLAG_NEW_LISTENER, EPERM),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...onCall(SYS.prlimit64, [[LOAD, 0, 0, argument(0)], ...when(IF_EQUAL, 0, ALLOW), [RETURN, 0, 0, EPERM]]),
    ...onCall(SYS.socket, familiesOnly(deny(ERRNO.EAFNOSUPPORT))),
    ...onCall(SYS.socketpair, familiesOnly(deny(ERRNO.EAFNOSUPPORT))),
    ...onCall(SYS.ioctl, [
      [LOAD, 0, 0, argument(1)],
      ...when(IF_EQUAL, IOCTL.tiocsti, EPERM),
      ...when(IF_EQUAL, IOCTL.tioclinux, EPERM),
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  return encode(program);
}

/** Runs `body` for one system call; the accumulator holds the number before and after, since every body returns. */
function onCall(number: number, body: Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, body.length, number], ...body];
}

function when(test: number, operand: number, result: number): Instruction[] {
  return [
    [test, 0, 1, operand],
    [RETURN, 0, 0, result],
  ];
}

function familiesOnly(otherwise: number): Instruction[] {
  return [
    [LOAD, 0, 0, argument(0)],
    ...ALLOWED_FAMILIES.flatMap((family) => when(IF_EQUAL, family, ALLOW)),
    [RETURN, 0, 0, otherwise],
  ];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(operand >>> 0, at + 4);
  });
  return bytes;
}
