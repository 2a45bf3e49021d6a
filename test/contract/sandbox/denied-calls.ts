const syscall = (call: string) => `r = c.syscall(${call})\nprint("refused" if r == -1 else "allowed %d" % r)`;

/** Python that tries something forbidden and prints `refused` when it was; being killed counts as well. */
export const DENIED: Readonly<Record<string, string>> = {
  'io_uring, which no tracer of system calls sees': syscall('425, 8, ctypes.create_string_buffer(256)'),
  ptrace: syscall('101, 16, os.getppid(), 0, 0'),
  bpf: syscall('321, 0, 0, 0'),
  userfaultfd: syscall('323, 0'),
  keyctl: syscall('250, 0, -3, 1'),
  'a limit for the first process, which would end it': syscall('302, 1, 0, ctypes.create_string_buffer(16), 0'),
  kexec_load: syscall('246, 0, 0, 0, 0'),
  'mount of a tmpfs': syscall('165, b"x", b"/tmp", b"tmpfs", 0, 0'),
  'a new user namespace by unshare': syscall('272, 0x10000000'),
  'a new user namespace by clone': syscall('56, 0x10000000 | 17, 0, 0, 0, 0'),
  'clone3, whose flags no filter can read': syscall('435, 0, 0'),
  'CLONE_UNTRACED, which escapes a tracer': syscall('56, 0x00800000 | 17, 0, 0, 0, 0'),
  'a listener of its own on seccomp': syscall('317, 1, 8, 0'),
  'AF_VSOCK, which reaches the hypervisor from any network namespace': syscall('41, 40, 1, 0'),
  AF_PACKET: syscall('41, 17, 3, 0'),
  perf_event_open: syscall('298, 0, 0, 0, 0, 0'),
  'the x32 ABI': syscall('0x40000000 + 39'),
  'typing into the terminal (TIOCSTI)': syscall('16, 0, 0x5412, b"x"'),
  open_by_handle_at: syscall('304, 0, 0, 0'),
  process_vm_readv: syscall('310, os.getppid(), 0, 0, 0, 0, 0'),
};
