/** Flags of clone(2) that are looked at (linux/sched.h). */
export const CLONE = {
  /** NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET NEWTIME. */
  newAny: 0x7e020080,
  untraced: 0x00800000,
  /** A child of the parent's: one that is outside of the pid namespace would have to wait for it, or the namespace never ends. */
  parent: 0x00008000,
} as const;

/** An own listener could answer for every call of its children (linux/seccomp.h). */
export const SECCOMP_FILTER_FLAG_NEW_LISTENER = 8;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
export const ALLOWED_FAMILIES: readonly number[] = [1, 2, 10, 16];

/** Requests that type into a terminal (asm-generic/ioctls.h). */
export const IOCTL = { tiocsti: 0x5412, tioclinux: 0x541c } as const;
