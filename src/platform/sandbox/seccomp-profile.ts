import { DENIED_SYSCALLS } from './deny-list.ts';
import { ALLOWED_FAMILIES, CLONE, IOCTL, SECCOMP_FILTER_FLAG_NEW_LISTENER } from './seccomp-rules.ts';

type Argument = { readonly index: number; readonly value: number; readonly valueTwo?: number; readonly op: string };
type Rule = {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ERRNO' | 'SCMP_ACT_KILL_PROCESS';
  readonly errnoRet?: number;
  readonly args?: readonly Argument[];
};

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
/** What the kernel looks at of an `unsigned int` argument. */
const LOW_HALF = 0xffffffff;

/** The seccomp filter of every sandbox as a profile for container engines (OCI runtime specification, linux.seccomp): what `seccompFilter` says in BPF. */
export function seccompProfile(): { readonly syscalls: readonly Rule[] } & Readonly<Record<string, unknown>> {
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    architectures: ['SCMP_ARCH_X86_64'], // calls of any other, also of x32, kill
    syscalls: [
      denied(Object.keys(DENIED_SYSCALLS), EPERM),
      denied(['clone3'], ENOSYS),
      { names: ['clone'], action: 'SCMP_ACT_KILL_PROCESS', args: [hasBits(0, CLONE.untraced)] },
      ...bitsOf(CLONE.newAny | CLONE.parent).map((bit) => denied(['clone'], EPERM, hasBits(0, bit))),
      denied(['seccomp'], EPERM, hasBits(1, SECCOMP_FILTER_FLAG_NEW_LISTENER)),
      denied(['prlimit64'], EPERM, { index: 0, value: 0, op: 'SCMP_CMP_NE' }),
      ...deniedFamilies().map((family) => denied(['socket', 'socketpair'], EAFNOSUPPORT, family)),
      ...Object.values(IOCTL).map((request) =>
        denied(['ioctl'], EPERM, { index: 1, value: LOW_HALF, valueTwo: request, op: 'SCMP_CMP_MASKED_EQ' }),
      ),
    ],
  };
}

function denied(names: readonly string[], errnoRet: number, argument?: Argument): Rule {
  return { names, action: 'SCMP_ACT_ERRNO', errnoRet, ...(argument === undefined ? {} : { args: [argument] }) };
}

function hasBits(index: number, bits: number): Argument {
  return { index, value: bits, valueTwo: bits, op: 'SCMP_CMP_MASKED_EQ' };
}

function bitsOf(mask: number): readonly number[] {
  return Array.from({ length: 32 }, (_, bit) => 2 ** bit).filter((bit) => (mask & bit) !== 0);
}

/** A rule has one comparison for each argument, so what is not allowed is listed; values with higher bits are above all families. */
function deniedFamilies(): readonly Argument[] {
  const highest = Math.max(...ALLOWED_FAMILIES);
  const below = Array.from({ length: highest }, (_, family) => family).filter((it) => !ALLOWED_FAMILIES.includes(it));
  return [
    ...below.map((value) => ({ index: 0, value, op: 'SCMP_CMP_EQ' })),
    { index: 0, value: highest, op: 'SCMP_CMP_GT' },
  ];
}
