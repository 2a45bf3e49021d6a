import { describe, expect, test } from 'vitest';
import { CONTRACT_LIMITS, type Harness, MEBIBYTE, python, run, shell, text } from './harness.ts';

export function limitsContract(harness: Harness): void {
  describe('limits', () => {
    test('wall time: a sleeping program is ended', async () => {
      const { ending, wallMs } = await run(await harness.open(), ['/usr/bin/sleep', '60'], { wallMs: 500 });
      expect(ending).toEqual({ kind: 'timed-out', clock: 'wall' });
      expect(wallMs).toBeLessThan(4_000);
    });

    test('a command cannot be given more wall time than its sandbox has', async () => {
      const sandbox = await harness.open({ wallMs: 500 });
      const { ending } = await run(sandbox, ['/usr/bin/sleep', '60'], { wallMs: 60_000 });
      expect(ending).toEqual({ kind: 'timed-out', clock: 'wall' });
    });

    test('wall time: SIGTERM and SIGINT ignored do not help', async () => {
      const { ending } = await shell(await harness.open(), 'trap "" TERM INT HUP QUIT; while :; do sleep 1; done', {
        wallMs: 500,
      });
      expect(ending).toEqual({ kind: 'timed-out', clock: 'wall' });
    });

    test('CPU time: a busy loop is ended', async () => {
      const { ending } = await shell(await harness.open({ cpuMs: 500 }), 'while :; do :; done');
      expect(ending).toEqual({ kind: 'timed-out', clock: 'cpu' });
    });

    test('CPU time counts for all children together', async (context) => {
      const can = await harness.driver().capabilities();
      context.skip(can.limits.cpu !== 'total', 'this driver limits cpu per process only');
      const { ending } = await shell(
        await harness.open({ cpuMs: 600, wallMs: 10_000 }),
        'for i in 1 2 3 4; do (while :; do :; done) & done; wait',
      );
      expect(ending).toEqual({ kind: 'timed-out', clock: 'cpu' });
    });

    test('memory: a 10 GB allocation is ended or refused, and the host does not feel it', async () => {
      const { ending } = await python(
        await harness.open(),
        'import sys\ntry: x = bytearray(10 * 1024**3)\nexcept MemoryError: sys.exit(9)',
      );
      expect([{ kind: 'out-of-memory' }, { kind: 'exited', code: 9 }]).toContainEqual(ending);
    });

    test('memory: many small processes cannot add up to more than the limit', async (context) => {
      const can = await harness.driver().capabilities();
      context.skip(can.limits.memory !== 'total', 'this driver limits memory per process only');
      const sandbox = await harness.open();
      await python(
        sandbox,
        'import os, time\nfor _ in range(20):\n  if os.fork() == 0:\n    x = b"x" * (40 * 1024**2); time.sleep(1); os._exit(0)\ntime.sleep(1.2)',
      );
      expect((await sandbox.usage()).memoryPeakBytes).toBeLessThanOrEqual(CONTRACT_LIMITS.memoryBytes);
    });

    test('processes: a fork bomb stops at the limit and leaves the host alone', async () => {
      const bomb =
        'import os\nn = 0\ntry:\n  while n < 500:\n    if os.fork() == 0:\n      os.read(os.pipe()[0], 1)\n    n += 1\nexcept BlockingIOError: pass\nprint(n)';
      const { stdout } = await python(await harness.open(), bomb);
      expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.processes);
    });

    test('processes: threads count too', async () => {
      const bomb =
        'import threading, time\nn = 0\ntry:\n  while n < 500:\n    threading.Thread(target=time.sleep, args=(2,), daemon=True).start(); n += 1\nexcept RuntimeError: pass\nprint(n, flush=True)\nimport os; os._exit(0)';
      const { stdout } = await python(await harness.open(), bomb);
      expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.processes);
    });

    test('output: a flood is ended and only the allowed part is kept', async () => {
      const { ending, stdout } = await run(await harness.open(), ['/usr/bin/yes']);
      expect(ending).toEqual({ kind: 'too-much-output' });
      expect(stdout.length).toBeLessThan(4 * MEBIBYTE);
    });

    test('output: a flood of standard error counts as well', async () => {
      const { ending, stderr } = await shell(await harness.open(), 'yes >&2');
      expect(ending).toEqual({ kind: 'too-much-output' });
      expect(stderr.length).toBeLessThanOrEqual(65_536);
    });

    test('file size: one file cannot grow beyond the limit', async () => {
      const sandbox = await harness.open();
      await shell(sandbox, 'head -c 100000000 /dev/zero > big');
      const { stdout } = await run(sandbox, ['/usr/bin/stat', '-c', '%s', 'big']);
      expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.fileBytes);
    });

    test('disk: 10 GB in many files fill the sandbox, not the host', async (context) => {
      const can = await harness.driver().capabilities();
      context.skip(can.limits.disk !== 'total', 'this driver limits disk per process only');
      const sandbox = await harness.open();
      const script =
        'i=0; while [ $i -lt 1000 ] && head -c 10000000 /dev/zero > f$i; do i=$((i+1)); done 2>/dev/null; du -sb . | cut -f1';
      const { stdout } = await shell(sandbox, script);
      expect(Number(text(stdout))).toBeLessThanOrEqual(CONTRACT_LIMITS.diskBytes + 4096);
    });

    test('disk: /tmp and /dev/shm are bounded too', async () => {
      const { stdout } = await shell(
        await harness.open(),
        'for d in /tmp /dev/shm; do df -P -k $d | tail -1 | tr -s " " | cut -d" " -f2; done',
      );
      for (const kibibytes of text(stdout).split('\n')) expect(Number(kibibytes)).toBeLessThanOrEqual(65_536);
    });

    test('a 1 TiB sparse file costs nothing and is read as too large', async () => {
      const sandbox = await harness.open({ fileBytes: 2 ** 41 });
      await run(sandbox, ['/usr/bin/truncate', '-s', '1T', 'sparse']);
      expect((await sandbox.readFile('sparse', { maxBytes: MEBIBYTE })).kind).not.toBe('file');
    });
  });
}
