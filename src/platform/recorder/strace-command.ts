/**
 * The system calls that strace stops at. No read, write, stat, close, mmap or fork: too many for what they tell. No `sendmsg`:
 * local programs talk by it in loops, and each stop costs 0.02 to 0.16 ms. No `sendmmsg`: a single call can make strace write
 * many gigabytes. Datagrams that go out by these two are left to the sandbox's network counters. `chdir` and `fchdir` cost
 * little and locate relative paths. strace 6.1 stops at calls that are too new for it (`fchmodat2`) without being asked.
 */
const TRACED_CALLS: readonly string[] = [
  ...['execve', 'execveat'],
  ...['open', 'openat', 'openat2', 'creat', 'mknod', 'mknodat'],
  ...['unlink', 'unlinkat', 'rmdir', 'rename', 'renameat', 'renameat2', 'mkdir', 'mkdirat'],
  ...['link', 'linkat', 'symlink', 'symlinkat'],
  ...['truncate', 'chmod', 'fchmod', 'fchmodat', 'chown', 'fchown', 'lchown', 'fchownat'],
  ...['utime', 'utimes', 'futimesat', 'utimensat', 'chdir', 'fchdir'],
  ...['connect', 'bind', 'sendto'],
  ...['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_send_signal'],
];

/** Where strace is, by its absolute path: never looked up in an agent's PATH. */
export const STRACE = '/usr/bin/strace';

/**
 * The command line up to `--`; the program to trace follows. `--seccomp-bpf` works only for programs that strace starts.
 *
 * Argument lists stay abbreviated, which at `-s 4096` means 4,096 items of 4,096 characters: with `abbrev=!execve` a refused
 * `execve` with an endless list fills the disk and crashes strace 6.1 at 3 GB, and every execution writes its whole
 * environment, secrets too, into the log. Signals are told, but for those that never kill: with `signal=none` strace hides every `+++ killed by`.
 */
export function straceArguments({ logPath }: { readonly logPath: string }): readonly string[] {
  return [
    ...[STRACE, '-f', '-q', '--seccomp-bpf', '-y', '-ttt', '-s', '4096'],
    ...['-e', 'signal=!chld,urg,winch,cont', '-e', `trace=${TRACED_CALLS.join(',')}`],
    ...['-o', logPath, '--'],
  ];
}
