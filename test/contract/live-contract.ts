import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { processMark } from '../../src/platform/sandbox/commands/process-mark.ts';
import { KEEP_MS } from '../../src/platform/sandbox/commands/slots.ts';
import { type LiveDriver, TOLD_BYTES } from '../../src/platform/sandbox/live-sandbox.ts';
import { begin, ENVIRONMENT, finish, installLiveHarness, type LiveHarness, step, strace } from './live/live-harness.ts';
import { DENIED } from './sandbox/denied-calls.ts';
import { CONTRACT_LIMITS, MEBIBYTE } from './sandbox/harness.ts';

/** What every driver's live sandboxes must hold. */
export function liveContract(name: string, makeDriver: () => LiveDriver): void {
  describe(`live sandbox contract: ${name}`, () => {
    const harness = installLiveHarness(makeDriver);
    livesOn(harness);
    endings(harness);
    walls(harness);
    tracing(harness);
    lifetime(harness);
  });
}

const python = (source: string) => ({ argv: ['/usr/bin/python3', '-I', '-c', source] as [string, ...string[]] });
const SERVER = `python3 -I -c '
import socket
s = socket.create_server(("127.0.0.1", 8123))
while True:
    c, _ = s.accept()
    c.sendall(b"here")
    c.close()' > /dev/null 2>&1 &
until python3 -I -c 'import socket; socket.create_connection(("127.0.0.1", 8123))' 2> /dev/null; do sleep 0.05; done`;
const ASK = `python3 -I -c 'import socket; print(socket.create_connection(("127.0.0.1", 8123)).recv(9).decode())'`;

function livesOn({ open }: LiveHarness): void {
  test('a server that a step leaves running answers the next one, and /tmp and /work stay', async () => {
    const sandbox = await open();
    const first = await step(sandbox, `${SERVER}; echo a > /tmp/a; echo b > /work/b`);
    expect(first.ending).toEqual({ kind: 'exited', code: 0 });
    const second = await step(sandbox, `${ASK}; cat /tmp/a /work/b`);
    expect(second.stdout).toBe('here\na\nb');
  });

  test('what a program tells on its pipe comes back and is bounded', async () => {
    const sandbox = await open();
    expect((await step(sandbox, 'echo hi >&9')).told).toBe('hi\n');
    const much = await step(sandbox, 'head -c 1000000 /dev/zero >&9');
    expect(much.told.length).toBe(TOLD_BYTES);
  });

  test('files are written and read from outside', async () => {
    const sandbox = await open();
    await sandbox.writeFile('a/b.txt', Buffer.from('x'));
    expect((await step(sandbox, 'cat a/b.txt; echo y > a/c')).stdout).toBe('x');
    expect(await sandbox.readFile('a/c', { maxBytes: 10 })).toMatchObject({ kind: 'file', bytes: Buffer.from('y\n') });
  });

  test('steps may run beside each other, each with its own use', async () => {
    const sandbox = await open();
    const [busy, idle] = await Promise.all([
      step(sandbox, 'python3 -I -c "while __import__(\'time\').process_time() < 0.4: pass"'),
      step(sandbox, 'sleep 0.3'),
    ]);
    expect(busy.cpuMs).toBeGreaterThan(350);
    expect(idle.cpuMs).toBeLessThan(200);
    expect(busy.memoryPeakBytes).toBeGreaterThan(MEBIBYTE);
  });
}

function endings({ open }: LiveHarness): void {
  test.each([
    ['exit 7', { kind: 'exited', code: 7 }],
    ['kill -SEGV $$', { kind: 'signalled', signal: 11 }],
  ])('%s is told as it was', async (script, ending) => {
    expect((await step(await open(), script)).ending).toEqual(ending);
  });

  test('a program that is not there, or a folder, is the program’s failure', async () => {
    const sandbox = await open();
    const missing = await step(sandbox, '', { argv: ['/no/such'] });
    expect([missing.ending, missing.stderr]).toEqual([
      { kind: 'exited', code: 127 },
      '/no/such: No such file or directory',
    ]);
    const nowhere = await step(sandbox, 'true', { cwd: '/no/where' });
    expect([nowhere.ending, nowhere.stderr]).toEqual([
      { kind: 'exited', code: 126 },
      '/no/where: No such file or directory',
    ]);
  });

  test('a step whose time is over is ended with all of it, and what earlier steps left goes on', async () => {
    const sandbox = await open();
    await step(sandbox, SERVER);
    const stubborn = `trap '' TERM HUP; (setsid sh -c 'trap "" TERM; sleep 61 & sleep 62' &) ; sleep 63`;
    const over = await step(sandbox, stubborn, { wallMs: 700 });
    expect(over.ending).toEqual({ kind: 'timed-out', clock: 'wall' });
    const after = await step(
      sandbox,
      `${ASK}; for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; done | grep -c 'sleep 6[1-3]'`,
    );
    expect(after.stdout).toBe('here\n0');
  });

  test('too much output ends a step', async () => {
    const flood = await step(await open(), 'yes', { outputBytes: 100_000 });
    expect(flood.ending).toEqual({ kind: 'too-much-output' });
  });

  test('too much memory is told as that, and the sandbox lives', async () => {
    const sandbox = await open();
    const big = await step(sandbox, '', python('x = b"x" * (400 * 1024 * 1024)'));
    expect(big.ending).toEqual({ kind: 'out-of-memory' });
    expect((await step(sandbox, 'echo well')).stdout).toBe('well');
  });

  test('memory that is filled by files is told as too much memory, and the sandbox lives', async () => {
    const sandbox = await open({ memoryBytes: 64 * MEBIBYTE, diskBytes: 64 * MEBIBYTE, fileBytes: 128 * MEBIBYTE });
    const full = await step(sandbox, 'dd if=/dev/zero of=/work/x bs=4k; dd if=/dev/zero of=/tmp/x bs=4k', {
      wallMs: 20_000,
    });
    expect([full.ending.kind, sandbox.isAlive()]).toEqual([expect.stringMatching(/out-of-memory|exited/), true]);
    const next = await step(sandbox, 'rm -f /work/x /tmp/x; echo well', { wallMs: 20_000 });
    expect([next.ending.kind, sandbox.isAlive()]).toEqual([expect.stringMatching(/out-of-memory|exited/), true]);
  });

  test.each(['KILL', 'STOP'])(
    'who signals SIG%s at everything meets a step’s own end, and no fault of the platform’s',
    async (signal) => {
      const sandbox = await open();
      const loop = `import os, signal, time\nend = time.time() + 6\nwhile time.time() < end: os.kill(-1, signal.SIG${signal})`;
      await step(sandbox, `setsid python3 -I -c '${loop}' > /dev/null 2>&1 &`);
      for (let tried = 0; tried < 5; tried++) {
        const { ending } = await step(sandbox, 'sleep 0.05', { wallMs: 500 });
        expect(ending.kind).toMatch(/signalled|timed-out|exited/);
      }
    },
  );

  test('a fork bomb is held and ended', async () => {
    const sandbox = await open();
    const bomb = await step(sandbox, 'b() { b | b & }; b; sleep 60', { wallMs: 1_500 });
    expect(bomb.ending.kind).toMatch(/timed-out|exited/);
    expect((await step(sandbox, 'echo well')).stdout).toBe('well');
  });

  test('a step that was asked to end has stopped', async () => {
    const running = await begin(await open(), 'sleep 60');
    setTimeout(() => running.end({ kind: 'stopped' }), 100);
    expect((await finish(running)).ending).toEqual({ kind: 'stopped' });
    await running.gone;
  });

  test('a zero byte is refused and nothing is started', async () => {
    const sandbox = await open();
    await expect(step(sandbox, 'echo a\0b')).rejects.toMatchObject({ code: 'bad-request' });
    await expect(step(sandbox, 'true', { env: { A: '\0' } })).rejects.toMatchObject({ code: 'bad-request' });
  });
}

/** Numbers of denied calls that are told; the others kill, or fail as on a kernel without them. */
const toldNumber = (source: string) => Number(/syscall\((\d+)/.exec(source)?.[1]);

function walls({ open }: LiveHarness): void {
  test.each(Object.entries(DENIED))('refused, and told from outside: %s', async (_, source) => {
    const done = await step(await open(), '', python(`import ctypes, os\nc = ctypes.CDLL(None)\n${source}`));
    const isKilled = done.ending.kind === 'signalled';
    if (!isKilled) expect(done.stdout).toContain('refused');
    const number = toldNumber(source);
    if (isKilled || number === 435) return expect(done.refused).toEqual([]);
    expect(done.refused.map((call) => call.number)).toContain(number);
    expect(done.refused[0]?.args).toHaveLength(6);
  });

  test('the errors of denied calls are those of any sandbox', async () => {
    const source =
      'import ctypes, os\nc = ctypes.CDLL(None, use_errno=True)\nfor call in ((165, 0, 0, 0, 0, 0), (41, 40, 1, 0)):\n  c.syscall(*call)\n  print(ctypes.get_errno())';
    expect((await step(await open(), '', python(source))).stdout).toBe('1\n97');
  });

  test('thousands of denied calls neither stop the program nor are kept without end', async () => {
    const running = await begin(
      await open(),
      '',
      python(
        'import ctypes\nc = ctypes.CDLL(None)\nfor _ in range(3000): c.syscall(165, 0, 0, 0, 0, 0)\nprint("done")',
      ),
    );
    expect((await finish(running)).stdout).toBe('done');
    await running.gone;
    expect([running.refused().calls.length, running.refused().more]).toEqual([1_000, 2_000]);
  });

  test('denied calls of programs that are ended meanwhile do not end the telling', async () => {
    const sandbox = await open();
    const storm = `import ctypes, os, signal, time
c = ctypes.CDLL(None)
for _ in range(600):
  pid = os.fork()
  if pid == 0:
    while True: c.syscall(165, 0, 0, 0, 0, 0)
  time.sleep(0.001); os.kill(pid, signal.SIGKILL); os.wait()
print(c.syscall(101, 0, 0, 0, 0, 0), ctypes.get_errno())`;
    const running = await begin(sandbox, `python3 -I -c '${storm}' > /work/said 2>&1 &`);
    await finish(running);
    await running.gone;
    expect([running.wasFollowed(), running.refused().more > 0]).toEqual([true, true]);
  });

  test('what enters tells nothing of the host', async () => {
    const sandbox = await open();
    await step(
      sandbox,
      `python3 -I -c '
import os, time
end = time.time() + 1.2
seen = set()
while time.time() < end:
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try: seen.add(open("/proc/%s/cmdline" % pid, "rb").read())
            except OSError: pass
open("/work/seen", "w").write(repr(seen))' > /dev/null 2>&1 &`,
    );
    for (let tried = 0; tried < 12; tried++) await step(sandbox, 'true');
    await expect.poll(() => existsSync(`${sandbox.workFolder}/seen`), { timeout: 20_000 }).toBe(true);
    expect(readFileSync(`${sandbox.workFolder}/seen`, 'latin1')).not.toMatch(/cgroup\/|\/run\/|slot-|services/);
  });

  test('a program has no privileges, no descriptors but its own, and sees only what is inside', async () => {
    const done = await step(
      await open(),
      'id -u; grep -E "^Cap|NoNew|^Seccomp:" /proc/self/status | tr -s "\\t " " "; ls /proc/self/fd; grep -c . /proc/1/cmdline; ls -d /proc/[0-9]* | wc -l; cat /proc/1/environ /proc/1/mem 2>&1 | grep -c denied; kill -9 1; kill -STOP 1; echo alive',
    );
    const lines = done.stdout.split('\n');
    expect(lines[0]).toMatch(/^\d+$/);
    expect(lines.slice(1, 6).every((line) => /^Cap\w+: 0+$/.test(line))).toBe(true);
    expect(lines.slice(6, 8)).toEqual(['NoNewPrivs: 1', 'Seccomp: 2']);
    expect(done.stdout).toMatch(/\n0\n1\n2\n3\n9\n/);
    expect(lines.at(-2)).toBe('2');
    expect(lines.at(-1)).toBe('alive');
  });

  test('an environment cannot steer what enters', async () => {
    const env = {
      ...ENVIRONMENT,
      PERL5OPT: '-Mevil',
      PERL5LIB: '/work',
      LD_PRELOAD: '/work/evil.so',
      BASH_ENV: '/work/x',
    };
    const done = await step(await open(), 'echo $PERL5OPT', {
      env,
      argv: ['/bin/sh', '-c', 'unset LD_PRELOAD; echo $PERL5OPT'],
    });
    expect(done.stdout).toBe('-Mevil');
    expect(done.ending).toEqual({ kind: 'exited', code: 0 });
  });

  test('there is no network but its own loopback', async () => {
    const done = await step(await open(), 'cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " "', {});
    expect(done.stdout).toBe('lo');
  });
}

function tracing({ open }: LiveHarness): void {
  test('a tracer sees the program from its first moment, and nothing before', async () => {
    const sandbox = await open();
    const { tracer, log } = strace(sandbox);
    const done = await step(sandbox, 'cat /etc/hostname > /dev/null; kill -0 1', { tracer });
    expect(done.ending).toEqual({ kind: 'exited', code: 0 });
    expect(log()).toContain('execve("/bin/sh"');
    expect(log()).toContain('"/etc/hostname"');
    expect(log()).not.toContain('perl');
  });

  test('a step whose tracer is lost is void, and nothing of it goes on unseen', async () => {
    const sandbox = await open();
    const { tracer } = strace(sandbox);
    const running = await begin(sandbox, 'sleep 77', { tracer });
    const logPath = tracer.argv.at(-2) ?? '';
    const isTracer = (pid: string) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
        return words[0] === tracer.argv[0] && words.includes(logPath);
      } catch {
        return false; // it is gone
      }
    };
    await pause(300);
    const found = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter(isTracer);
    expect(found).toHaveLength(1);
    process.kill(Number(found[0]), 'SIGKILL');
    await expect(finish(running)).rejects.toMatchObject({ code: 'sandbox-failed' });
    expect((await step(sandbox, 'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -c "sleep 77 *$"')).stdout).toBe('0');
  });
}

function lifetime({ open, makeDriver, driver }: LiveHarness): void {
  test('nothing is left of a sandbox that was destroyed', async () => {
    const sandbox = await open();
    await step(sandbox, `${SERVER}; setsid sleep 300 > /dev/null 2>&1 &`);
    const { pid, mark } = sandbox.place.first;
    await sandbox.destroy();
    expect(processMark(pid)).not.toBe(mark);
    expect(existsSync(sandbox.hostFolder)).toBe(false);
    expect(sandbox.isAlive()).toBe(false);
    await expect(step(sandbox, 'true')).rejects.toMatchObject({ code: 'sandbox-failed' });
  });

  test('a program that ends all it can leaves its sandbox alive', async () => {
    const sandbox = await open();
    await step(sandbox, 'kill -9 -1');
    expect(sandbox.isAlive()).toBe(true);
    expect((await step(sandbox, 'echo well')).stdout).toBe('well');
  });

  test('another process takes over what one has left, with all that runs in it', async () => {
    const former = makeDriver();
    const left = await former.open({ root: { kind: 'host' }, limits: CONTRACT_LIMITS, lifeMs: 60_000 });
    await step(left, `${SERVER}; echo kept > /work/file`);
    left.leave();
    await former.close();
    const adopted = await driver().adopt(left.place);
    if (adopted === null || adopted === 'held') throw new Error(`it is ${adopted ?? 'gone'}`);
    expect((await step(adopted, `${ASK}; cat /work/file; cat /etc/hostname`)).stdout).toBe('here\nkept\nsandbox');
    await adopted.destroy();
    expect(await driver().adopt(left.place)).toBeNull();
  });

  test('one that is frozen stands still until it is thawed', async () => {
    const sandbox = await open();
    await step(
      sandbox,
      '(while true; do date +%N > /work/clock; sleep 0.02; done) > /dev/null 2>&1 & until [ -s clock ]; do sleep 0.01; done',
    );
    await sandbox.freeze();
    const read = () => readFileSync(`${sandbox.workFolder}/clock`, 'latin1');
    const before = read();
    await pause(200);
    expect(read()).toBe(before);
    await sandbox.thaw();
    await expect.poll(read).not.toBe(before);
  });

  test('what is kept is kept for a while only', () => expect(KEEP_MS).toBeLessThanOrEqual(300_000));
}
