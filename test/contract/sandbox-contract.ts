import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Command, Sandbox, SandboxDriver, SandboxLimits } from '../../src/platform/sandbox/sandbox.ts';

const MEBIBYTE = 1024 ** 2;

/** Small limits, so that every attack meets one soon. */
export const CONTRACT_LIMITS: SandboxLimits = {
  wallMs: 4_000,
  cpuMs: 2_000,
  memoryBytes: 128 * MEBIBYTE,
  processes: 48,
  outputBytes: MEBIBYTE,
  fileBytes: 16 * MEBIBYTE,
  diskBytes: 32 * MEBIBYTE,
};

/** What every sandbox driver must hold. Each check names the wound that it closes. */
export function sandboxContract(name: string, makeDriver: () => SandboxDriver): void {
  describe(`sandbox contract: ${name}`, () => {
    let driver: SandboxDriver;
    const opened: Sandbox[] = [];

    beforeAll(() => {
      driver = makeDriver();
    });
    afterAll(() => driver.close());
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((sandbox) => sandbox.destroy()));
    });

    const open = async (limits: Partial<SandboxLimits> = {}, tools: Record<string, string> = {}) => {
      const sandbox = await driver.create({ root: { kind: 'host' }, limits: { ...CONTRACT_LIMITS, ...limits }, tools });
      opened.push(sandbox);
      return sandbox;
    };
    const run = (sandbox: Sandbox, argv: Command['argv'], rest: Partial<Command> = {}) =>
      sandbox.exec({ argv, ...rest });
    const shell = (sandbox: Sandbox, script: string, rest: Partial<Command> = {}) =>
      run(sandbox, ['/bin/sh', '-c', script], rest);
    const python = (sandbox: Sandbox, source: string) => run(sandbox, ['/usr/bin/python3', '-I', '-c', source]);
    const text = (bytes: Buffer) => bytes.toString('utf8').trim();

    describe('endings are data', () => {
      test('an exit code comes back as it is', async () => {
        expect((await shell(await open(), 'exit 37')).ending).toEqual({ kind: 'exited', code: 37 });
      });

      test('death by a signal is told apart from an exit', async () => {
        expect((await shell(await open(), 'kill -SEGV $$')).ending).toEqual({ kind: 'signalled', signal: 11 });
      });

      test('an exit code above 128 is not taken for a signal', async () => {
        expect((await shell(await open(), 'exit 139')).ending).toEqual({ kind: 'exited', code: 139 });
      });

      test('a program that is not there is the caller of it failing, not the platform', async () => {
        const { ending } = await run(await open(), ['/work/no-such-program']);
        expect(ending).toMatchObject({ kind: 'exited', code: 127 });
      });

      test('arguments are passed as they are: no shell looks at them', async () => {
        const hostile = '$(touch /work/pwned); `id` "quoted" \'single\' \\ * ;';
        const { stdout } = await run(await open(), ['/usr/bin/printf', '%s', hostile]);
        expect(stdout.toString()).toBe(hostile);
      });

      test('standard input arrives whole and ends: a reader is not left waiting', async () => {
        const input = Buffer.alloc(300_000, 'x');
        const { stdout, ending } = await run(await open(), ['/usr/bin/wc', '-c'], { stdin: input });
        expect(ending).toEqual({ kind: 'exited', code: 0 });
        expect(text(stdout)).toBe('300000');
      });

      test('without input a reader sees the end at once', async () => {
        expect(text((await run(await open(), ['/usr/bin/wc', '-c'])).stdout)).toBe('0');
      });

      test('a program that does not read its input is no error', async () => {
        const { ending } = await run(await open(), ['/usr/bin/true'], { stdin: Buffer.alloc(MEBIBYTE) });
        expect(ending).toEqual({ kind: 'exited', code: 0 });
      });

      test('/dev/stdin and /dev/stderr can be opened: honest scripts do that', async () => {
        const { stdout, stderr } = await shell(await open(), 'cat /dev/stdin; echo note > /dev/stderr', {
          stdin: Buffer.from('in'),
        });
        expect(text(stdout)).toBe('in');
        expect(text(stderr)).toBe('note');
      });
    });

    describe('limits', () => {
      test('wall time: a sleeping program is ended', async () => {
        const { ending, wallMs } = await run(await open(), ['/usr/bin/sleep', '60'], { wallMs: 500 });
        expect(ending).toEqual({ kind: 'timed-out', clock: 'wall' });
        expect(wallMs).toBeLessThan(4_000);
      });

      test('a command cannot be given more wall time than its sandbox has', async () => {
        const sandbox = await open({ wallMs: 500 });
        const { ending } = await run(sandbox, ['/usr/bin/sleep', '60'], { wallMs: 60_000 });
        expect(ending).toEqual({ kind: 'timed-out', clock: 'wall' });
      });

      test('wall time: SIGTERM and SIGINT ignored do not help', async () => {
        const { ending } = await shell(await open(), 'trap "" TERM INT HUP QUIT; while :; do sleep 1; done', {
          wallMs: 500,
        });
        expect(ending).toEqual({ kind: 'timed-out', clock: 'wall' });
      });

      test('CPU time: a busy loop is ended', async () => {
        const { ending } = await shell(await open({ cpuMs: 500 }), 'while :; do :; done');
        expect(ending).toEqual({ kind: 'timed-out', clock: 'cpu' });
      });

      test('CPU time counts for all children together', async (context) => {
        const can = await driver.capabilities();
        context.skip(can.limits.cpu !== 'total', 'this driver limits cpu per process only');
        const { ending } = await shell(
          await open({ cpuMs: 600, wallMs: 10_000 }),
          'for i in 1 2 3 4; do (while :; do :; done) & done; wait',
        );
        expect(ending).toEqual({ kind: 'timed-out', clock: 'cpu' });
      });

      test('memory: a 10 GB allocation is ended or refused, and the host does not feel it', async () => {
        const { ending } = await python(
          await open(),
          'import sys\ntry: x = bytearray(10 * 1024**3)\nexcept MemoryError: sys.exit(9)',
        );
        expect([{ kind: 'out-of-memory' }, { kind: 'exited', code: 9 }]).toContainEqual(ending);
      });

      test('memory: many small processes cannot add up to more than the limit', async (context) => {
        const can = await driver.capabilities();
        context.skip(can.limits.memory !== 'total', 'this driver limits memory per process only');
        const sandbox = await open();
        await python(
          sandbox,
          'import os, time\nfor _ in range(20):\n  if os.fork() == 0:\n    x = b"x" * (40 * 1024**2); time.sleep(1); os._exit(0)\ntime.sleep(1.2)',
        );
        expect((await sandbox.usage()).memoryPeakBytes).toBeLessThanOrEqual(CONTRACT_LIMITS.memoryBytes);
      });

      test('processes: a fork bomb stops at the limit and leaves the host alone', async () => {
        const bomb =
          'import os\nn = 0\ntry:\n  while n < 500:\n    if os.fork() == 0:\n      os.read(os.pipe()[0], 1)\n    n += 1\nexcept BlockingIOError: pass\nprint(n)';
        const { stdout } = await python(await open(), bomb);
        expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.processes);
      });

      test('processes: threads count too', async () => {
        const bomb =
          'import threading, time\nn = 0\ntry:\n  while n < 500:\n    threading.Thread(target=time.sleep, args=(2,), daemon=True).start(); n += 1\nexcept RuntimeError: pass\nprint(n, flush=True)\nimport os; os._exit(0)';
        const { stdout } = await python(await open(), bomb);
        expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.processes);
      });

      test('output: a flood is ended and only the allowed part is kept', async () => {
        const { ending, stdout } = await run(await open(), ['/usr/bin/yes']);
        expect(ending).toEqual({ kind: 'too-much-output' });
        expect(stdout.length).toBeLessThan(4 * MEBIBYTE);
      });

      test('output: a flood of standard error counts as well', async () => {
        const { ending, stderr } = await shell(await open(), 'yes >&2');
        expect(ending).toEqual({ kind: 'too-much-output' });
        expect(stderr.length).toBeLessThanOrEqual(65_536);
      });

      test('file size: one file cannot grow beyond the limit', async () => {
        const sandbox = await open();
        await shell(sandbox, 'head -c 100000000 /dev/zero > big');
        const { stdout } = await run(sandbox, ['/usr/bin/stat', '-c', '%s', 'big']);
        expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.fileBytes);
      });

      test('disk: 10 GB in many files fill the sandbox, not the host', async (context) => {
        const can = await driver.capabilities();
        context.skip(can.limits.disk !== 'total', 'this driver limits disk per process only');
        const sandbox = await open();
        const script =
          'i=0; while [ $i -lt 1000 ] && head -c 10000000 /dev/zero > f$i; do i=$((i+1)); done 2>/dev/null; du -sb . | cut -f1';
        const { stdout } = await shell(sandbox, script);
        expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.diskBytes + 4096);
      });

      test('disk: /tmp and /dev/shm are bounded too', async () => {
        const { stdout } = await shell(
          await open(),
          'for d in /tmp /dev/shm; do df -P -k $d | tail -1 | tr -s " " | cut -d" " -f2; done',
        );
        for (const kibibytes of text(stdout).split('\n')) expect(Number(kibibytes)).toBeLessThanOrEqual(65_536);
      });

      test('a 1 TiB sparse file costs nothing and is read as too large', async () => {
        const sandbox = await open({ fileBytes: 2 ** 41 });
        await run(sandbox, ['/usr/bin/truncate', '-s', '1T', 'sparse']);
        expect((await sandbox.readFile('sparse', { maxBytes: MEBIBYTE })).kind).not.toBe('file');
      });
    });

    describe('nothing outlives its command', () => {
      test('a background process that holds the output pipe does not hold us', async () => {
        const { ending, stdout, wallMs } = await shell(await open(), 'sleep 60 & echo done');
        expect(ending).toEqual({ kind: 'exited', code: 0 });
        expect(text(stdout)).toBe('done');
        expect(wallMs).toBeLessThan(3_000);
      });

      test('when a command has ended, so have all the daemons that it left', async () => {
        const sandbox = await open();
        const daemons =
          'import os, time\nfor _ in range(30):\n  if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(61.5)\n    os._exit(0)';
        await python(sandbox, daemons);
        const left = readdirSync('/proc').filter(
          (pid) => /^\d+$/.test(pid) && commandLineOf(pid).includes('time.sleep(61.5)'),
        );
        expect(left).toEqual([]);
      });

      test('a setsid, double-forked daemon ends with its command', async () => {
        const sandbox = await open();
        await shell(sandbox, 'setsid sh -c "sleep 1; touch /work/survived" >/dev/null 2>&1 & exit 0');
        await shell(sandbox, 'sleep 1.5');
        expect((await sandbox.readFile('survived', { maxBytes: 10 })).kind).toBe('missing');
      });

      test('stop() ends everything that a running command started', async () => {
        const sandbox = await open();
        const running = await sandbox.start({ argv: ['/bin/sh', '-c', 'sleep 60 & sleep 60'] });
        running.stdout.resume();
        running.stop();
        expect((await running.ended).ending).toEqual({ kind: 'stopped' });
      });

      test('destroy() ends what runs, removes all traces and may be called again', async () => {
        const sandbox = await open();
        const running = await sandbox.start({ argv: ['/usr/bin/sleep', '60'] });
        running.stdout.resume();
        await sandbox.destroy();
        await sandbox.destroy();
        expect((await running.ended).ending).toEqual({ kind: 'stopped' });
        expect(existsSync(sandbox.workFolder)).toBe(false);
        await expect(sandbox.exec({ argv: ['/usr/bin/true'] })).rejects.toMatchObject({ code: 'sandbox-failed' });
      });

      test('after many sandboxes this process holds no more descriptors than before', async () => {
        const count = () => readdirSync('/proc/self/fd').length;
        await (await open()).exec({ argv: ['/usr/bin/true'] });
        const before = count();
        for (let i = 0; i < 15; i++) {
          const sandbox = await open();
          await sandbox.exec({ argv: ['/usr/bin/true'] });
          await sandbox.destroy();
        }
        expect(count()).toBeLessThanOrEqual(before + 2);
      });
    });

    describe('walls', () => {
      test('there is no network, not even to the host’s loopback', async () => {
        const { stdout } = await python(
          await open(),
          'import socket\nfor a in ("127.0.0.1", "192.0.2.1"):\n  try: socket.create_connection((a, 22), 1); print("open")\n  except OSError as e: print("shut")\nprint(sorted(n for _, n in socket.if_nameindex()))',
        );
        expect(text(stdout)).toBe("shut\nshut\n['lo']");
      });

      test('the program is not root inside, and has no capabilities and no way to new privileges', async () => {
        const { stdout } = await shell(
          await open(),
          'id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -s "\\t" " "',
        );
        expect(text(stdout).split('\n')).toEqual([
          '1000',
          'CapEff: 0000000000000000',
          'CapBnd: 0000000000000000',
          'NoNewPrivs: 1',
          'Seccomp: 2',
        ]);
      });

      test('outside it is a uid of its own, where the driver can give one', async (context) => {
        const can = await driver.capabilities();
        context.skip(!can.ownUid, 'only root can give sandboxes uids of their own');
        const [one, two] = [await open(), await open()];
        const uids = [await uidOutside(one, '31.25'), await uidOutside(two, '32.25')];
        expect(uids).not.toContain(0);
        expect(uids[0]).not.toBe(uids[1]);
      });

      test('host files are not there: no homes, no repository, no service state', async () => {
        const { stdout } = await shell(
          await open(),
          `ls / | tr "\\n" " "; ls ${process.cwd()} /root /home /run/proctor /var 2>/dev/null; ls /usr/local /usr/src`,
        );
        expect(text(stdout).replace(/\s+/g, ' ')).toMatch(
          /^(bin|dev|etc|lib\w*|proc|proctor|sbin|tmp|usr|work| |\/usr\/local:|\/usr\/src:)+$/,
        );
      });

      test('the system is read-only', async () => {
        const { stdout } = await shell(
          await open({}, { graders: 'graders' }),
          'for p in / /usr /etc /dev /proctor /proctor/graders /bin; do touch $p/x 2>/dev/null && echo "$p is writable"; done; echo checked',
        );
        expect(text(stdout)).toBe('checked');
      });

      test('two sandboxes cannot see, signal or read each other', async () => {
        const [victim, spy] = [await open(), await open()];
        await victim.writeFile('secret', Buffer.from('s'));
        const running = await victim.start({ argv: ['/usr/bin/sleep', '3'], env: { MARK: 'victim-mark' } });
        running.stdout.resume();
        const { stdout } = await shell(
          spy,
          'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep victim-mark; ls /work; ls /proc | grep -c "^[0-9]"; kill -9 -1 2>/dev/null; true',
        );
        expect(text(stdout)).not.toContain('victim-mark');
        expect(text(stdout)).not.toContain('secret');
        expect((await running.ended).ending).toEqual({ kind: 'exited', code: 0 });
      });

      test('the sandbox’s first process survives what is inside', async () => {
        const { ending, stdout } = await shell(await open(), 'kill -9 1; kill -STOP 1; sleep 0.1; echo alive');
        expect(ending).toEqual({ kind: 'exited', code: 0 });
        expect(text(stdout)).toBe('alive');
      });

      test('the first process cannot be taken over: its memory and descriptors are closed to the program', async () => {
        const source =
          'import os\nfor p in ("mem", "fd", "maps", "environ", "cwd", "root"):\n  try: os.listdir("/proc/1/" + p) if p == "fd" else os.readlink("/proc/1/" + p) if p in ("cwd", "root") else open("/proc/1/" + p, "r+b" if p == "mem" else "rb").read(1); print(p)\n  except OSError: pass\nprint("tried")';
        expect(text((await python(await open(), source)).stdout)).toBe('tried');
      });

      test('no descriptor of the service is inherited', async () => {
        const { stdout } = await shell(await open(), 'ls /proc/$$/fd | tr "\\n" " "');
        expect(text(stdout)).toMatch(/^0 1 2( 10| 255)?$/);
      });

      test('the environment of the service is not there', async () => {
        process.env.PROCTOR_TEST_SECRET = 'do-not-leak';
        const { stdout } = await run(await open(), ['/usr/bin/env']);
        delete process.env.PROCTOR_TEST_SECRET;
        expect(stdout.toString()).not.toContain('do-not-leak');
      });

      test('no System V objects or shared memory are shared between commands’ namespaces', async () => {
        const sandbox = await open();
        await python(sandbox, 'import ctypes; ctypes.CDLL(None).shmget(4242, 4096, 0o1666)');
        const { stdout } = await python(sandbox, 'import ctypes; print(ctypes.CDLL(None).shmget(4242, 4096, 0))');
        expect(text(stdout)).toBe('-1');
      });

      for (const [what, source] of Object.entries(DENIED)) {
        test(`denied: ${what}`, async () => {
          const { stdout, ending } = await python(
            await open(),
            `import ctypes, os\nc = ctypes.CDLL(None, use_errno=True)\n${source}`,
          );
          const refused = ending.kind === 'signalled' || text(stdout) === 'refused';
          expect({ refused, stdout: text(stdout), ending }).toMatchObject({ refused: true });
        });
      }
    });

    describe('files in and out', () => {
      test('what is written is there, and what the program writes can be read', async () => {
        const sandbox = await open();
        await sandbox.writeFile('deep/er/in.txt', Buffer.from('hello'));
        await shell(sandbox, 'tr a-z A-Z < deep/er/in.txt > out.txt');
        expect(await sandbox.readFile('out.txt', { maxBytes: 100 })).toMatchObject({
          kind: 'file',
          bytes: Buffer.from('HELLO'),
        });
      });

      test('a link, a FIFO, a folder and a missing file are not read as files', async () => {
        const sandbox = await open();
        await shell(sandbox, 'ln -s /etc/passwd link; mkfifo fifo; mkdir folder; ln -s loop loop');
        for (const name of ['link', 'fifo', 'folder', 'loop']) {
          expect([name, (await sandbox.readFile(name, { maxBytes: 100 })).kind]).toEqual([name, 'not-a-file']);
        }
        expect((await sandbox.readFile('none', { maxBytes: 100 })).kind).toBe('missing');
      });

      test('a link in the middle of a path is not followed, neither reading nor writing', async () => {
        const sandbox = await open();
        await shell(sandbox, 'ln -s /etc etc; ln -s /tmp here');
        expect((await sandbox.readFile('etc/passwd', { maxBytes: 100_000 })).kind).toBe('not-a-file');
        await expect(sandbox.writeFile('here/planted', Buffer.from('x'))).rejects.toThrow();
        expect(existsSync('/tmp/planted')).toBe(false);
      });

      test('a link at the end of a path is replaced, not written through', async () => {
        const sandbox = await open();
        await shell(sandbox, 'ln -s /tmp/proctor-written-through out');
        await sandbox.writeFile('out', Buffer.from('mine'));
        expect(existsSync('/tmp/proctor-written-through')).toBe(false);
        expect(await sandbox.readFile('out', { maxBytes: 100 })).toMatchObject({ kind: 'file' });
      });

      test('paths that leave the work folder are refused', async () => {
        const sandbox = await open();
        for (const path of ['../x', '/etc/x', 'a/../../x', '', 'a//b', 'a\0b', '.']) {
          await expect(sandbox.writeFile(path, Buffer.from('x'))).rejects.toMatchObject({ code: 'bad-request' });
        }
      });

      test('odd names are only names', async () => {
        const sandbox = await open();
        for (const name of ['-rf', '$(id)', 'new\nline', '\u202egnp.py', 'a b', '*']) {
          await sandbox.writeFile(name, Buffer.from(name));
          expect(await sandbox.readFile(name, { maxBytes: 100 })).toMatchObject({
            kind: 'file',
            bytes: Buffer.from(name),
          });
        }
      });

      test('a program that locks its own folder does not lock the next one out', async () => {
        const sandbox = await open();
        await shell(sandbox, 'chmod 000 /work');
        expect((await shell(sandbox, 'echo in > /work/file; cat /work/file')).ending).toEqual({
          kind: 'exited',
          code: 0,
        });
      });
    });

    describe('control', () => {
      test('freeze stops every process where it stands, thaw lets it go on', async (context) => {
        context.skip(!(await driver.capabilities()).freeze, 'this driver cannot freeze here');
        const sandbox = await open();
        const running = await sandbox.start({
          argv: ['/bin/sh', '-c', 'while :; do echo x >> ticks; sleep 0.02; done'],
          wallMs: 3_000,
        });
        running.stdout.resume();
        const size = async () =>
          await sandbox
            .readFile('ticks', { maxBytes: 100_000 })
            .then((read) => (read.kind === 'file' ? read.bytes.length : 0));
        await expect.poll(size).toBeGreaterThan(0);
        await sandbox.freeze();
        const frozen = await size();
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(await size()).toBe(frozen);
        await sandbox.thaw();
        await expect.poll(size).toBeGreaterThan(frozen);
        running.stop();
        await running.ended;
      });

      test('a frozen sandbox can be destroyed', async (context) => {
        context.skip(!(await driver.capabilities()).freeze, 'this driver cannot freeze here');
        const sandbox = await open();
        const running = await sandbox.start({ argv: ['/usr/bin/sleep', '60'] });
        running.stdout.resume();
        await sandbox.freeze();
        await sandbox.destroy();
        expect((await running.ended).ending).toEqual({ kind: 'stopped' });
      });

      test('usage grows with use', async () => {
        const sandbox = await open();
        await python(sandbox, 'x = b"x" * (30 * 1024**2); sum(range(2_000_000))');
        const { cpuMs, memoryPeakBytes } = await sandbox.usage();
        if (cpuMs !== null) expect(cpuMs).toBeGreaterThan(20);
        if (memoryPeakBytes !== null) expect(memoryPeakBytes).toBeGreaterThan(30 * MEBIBYTE);
      });

      test('a need that this machine cannot hold is refused before start', async (context) => {
        context.skip((await driver.capabilities()).freeze, 'this driver lacks nothing that could be asked for');
        const refused = driver.create({ root: { kind: 'host' }, limits: CONTRACT_LIMITS, needs: ['freeze'] });
        await expect(refused).rejects.toMatchObject({ code: 'capability-missing' });
      });

      test('commands of one sandbox may run at the same time', async () => {
        const sandbox = await open();
        const results = await Promise.all([1, 2, 3].map((n) => shell(sandbox, `sleep 0.1; echo ${n}`)));
        expect(results.map(({ stdout }) => text(stdout))).toEqual(['1', '2', '3']);
      });
    });
  });
}

/** The owner of a command as the host sees it, found by an argument that no other process has. */
async function uidOutside(sandbox: Sandbox, seconds: string): Promise<number> {
  const running = await sandbox.start({ argv: ['/usr/bin/sleep', seconds] });
  running.stdout.resume();
  let uid: number | null = null;
  const find = () => {
    const owners = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => ownerOf(pid, `sleep\0${seconds}\0`));
    uid = owners.find((owner) => owner !== null) ?? null;
    return uid;
  };
  await expect.poll(find).not.toBeNull();
  running.stop();
  await running.ended;
  return uid ?? 0;
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** The uid of a process whose command line ends so, once it has left its launcher; null for all others. */
function ownerOf(pid: string, commandLine: string): number | null {
  try {
    if (commandLineOf(pid).replace(/^.*\//, '') !== commandLine) return null;
    return Number(readFileSync(`/proc/${pid}/status`, 'latin1').match(/^Uid:\s+(\d+)/m)?.[1]);
  } catch {
    return null;
  }
}

const syscall = (call: string) => `r = c.syscall(${call})\nprint("refused" if r == -1 else "allowed %d" % r)`;

/** Python that tries something forbidden and prints `refused` when it was; being killed counts as well. */
const DENIED: Readonly<Record<string, string>> = {
  'io_uring, which no tracer of system calls sees': syscall('425, 8, ctypes.create_string_buffer(256)'),
  ptrace: syscall('101, 16, os.getppid(), 0, 0'),
  bpf: syscall('321, 0, 0, 0'),
  userfaultfd: syscall('323, 0'),
  keyctl: syscall('250, 0, -3, 1'),
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
