import { describe, expect, test } from 'vitest';
import { DENIED } from './denied-calls.ts';
import { type Harness, python, run, shell, text } from './harness.ts';
import { uidOutside } from './seen-from-outside.ts';

export function wallsContract(harness: Harness): void {
  describe('walls', () => {
    test('there is no network, not even to the host’s loopback', async () => {
      const { stdout } = await python(
        await harness.open(),
        'import socket\nfor a in ("127.0.0.1", "192.0.2.1"):\n  try: socket.create_connection((a, 22), 1); print("open")\n  except OSError as e: print("shut")\nprint(sorted(n for _, n in socket.if_nameindex()))',
      );
      expect(text(stdout)).toBe("shut\nshut\n['lo']");
    });

    test('the program is not root inside, and has no capabilities and no way to new privileges', async () => {
      const { stdout } = await shell(
        await harness.open(),
        'id -u; grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -s "\\t" " "',
      );
      expect(text(stdout).split('\n')).toEqual([
        expect.stringMatching(/^[1-9]\d+$/), // 1000, or the uid of its slot where no user namespace maps it
        'CapEff: 0000000000000000',
        'CapBnd: 0000000000000000',
        'NoNewPrivs: 1',
        'Seccomp: 2',
      ]);
    });

    test('outside it is a uid of its own, where the driver can give one', async (context) => {
      const can = await harness.driver().capabilities();
      context.skip(!can.ownUid, 'only root can give sandboxes uids of their own');
      const [one, two] = [await harness.open(), await harness.open()];
      const uids = [await uidOutside(one, '31.25'), await uidOutside(two, '32.25')];
      expect(uids).not.toContain(0);
      expect(uids[0]).not.toBe(uids[1]);
    });

    test('host files are not there: no homes, no repository, no service state', async () => {
      const { stdout } = await shell(
        await harness.open(),
        `ls / | tr "\\n" " "; ls ${process.cwd()} /root /home /run/proctor /var 2>/dev/null; find /sys -type f 2>/dev/null; ls /usr/local /usr/src`,
      );
      expect(text(stdout).replace(/\s+/g, ' ')).toMatch(
        /^(bin|dev|etc|lib\w*|proc|proctor|sbin|sys|tmp|usr|work| |\/usr\/local:|\/usr\/src:)+$/,
      );
    });

    test('the system is read-only', async () => {
      const { stdout } = await shell(
        await harness.open({}, { graders: 'graders' }),
        'for p in / /usr /etc /dev /proctor /proctor/graders /bin; do touch $p/x 2>/dev/null && echo "$p is writable"; done; echo checked',
      );
      expect(text(stdout)).toBe('checked');
    });

    test('/tmp and /dev/shm can be written, and are new for each command', async () => {
      const sandbox = await harness.open();
      const script = 'for d in /tmp /dev/shm; do ls -A $d; echo x > $d/x && cat $d/x; done';
      const outputs = [await shell(sandbox, script), await shell(sandbox, script)].map(({ stdout }) => text(stdout));
      expect(outputs).toEqual(['x\nx', 'x\nx']);
    });

    test('two sandboxes cannot see, signal or read each other', async () => {
      const [victim, spy] = [await harness.open(), await harness.open()];
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
      const { ending, stdout } = await shell(await harness.open(), 'kill -9 1; kill -STOP 1; sleep 0.1; echo alive');
      expect(ending).toEqual({ kind: 'exited', code: 0 });
      expect(text(stdout)).toBe('alive');
    });

    test('the first process cannot be taken over: its memory and descriptors are closed to the program', async () => {
      const source =
        'import os\nfor p in ("mem", "fd", "maps", "environ", "cwd", "root"):\n  try: os.listdir("/proc/1/" + p) if p == "fd" else os.readlink("/proc/1/" + p) if p in ("cwd", "root") else open("/proc/1/" + p, "r+b" if p == "mem" else "rb").read(1); print(p)\n  except OSError: pass\nprint("tried")';
      expect(text((await python(await harness.open(), source)).stdout)).toBe('tried');
    });

    test('no descriptor of the service is inherited', async () => {
      const { stdout } = await python(await harness.open(), 'import os; print(*sorted(os.listdir("/proc/self/fd")))');
      expect(text(stdout)).toMatch(/^0 1 2 3$/);
    });

    test('the environment of the service is not there', async () => {
      process.env.PROCTOR_TEST_SECRET = 'do-not-leak';
      const { stdout } = await run(await harness.open(), ['/usr/bin/env']);
      delete process.env.PROCTOR_TEST_SECRET;
      expect(stdout.toString()).not.toContain('do-not-leak');
    });

    test('no System V objects or shared memory are shared between commands’ namespaces', async () => {
      const sandbox = await harness.open();
      await python(sandbox, 'import ctypes; ctypes.CDLL(None).shmget(4242, 4096, 0o1666)');
      const { stdout } = await python(sandbox, 'import ctypes; print(ctypes.CDLL(None).shmget(4242, 4096, 0))');
      expect(text(stdout)).toBe('-1');
    });

    for (const [what, source] of Object.entries(DENIED)) {
      test(`denied: ${what}`, async () => {
        const { stdout, ending } = await python(
          await harness.open(),
          `import ctypes, os\nc = ctypes.CDLL(None, use_errno=True)\n${source}`,
        );
        const refused = ending.kind === 'signalled' || text(stdout) === 'refused';
        expect({ refused, stdout: text(stdout), ending }).toMatchObject({ refused: true });
      });
    }
  });
}
