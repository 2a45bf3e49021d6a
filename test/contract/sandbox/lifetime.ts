import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Harness, python, shell, text } from './harness.ts';
import { commandLineOf } from './seen-from-outside.ts';

export function lifetimeContract(harness: Harness): void {
  describe('nothing outlives its command', () => {
    test('a background process that holds the output pipe does not hold us', async () => {
      const { ending, stdout, wallMs } = await shell(await harness.open(), 'sleep 60 & echo done');
      expect(ending).toEqual({ kind: 'exited', code: 0 });
      expect(text(stdout)).toBe('done');
      expect(wallMs).toBeLessThan(3_000);
    });

    test('when a command has ended, so have all the daemons that it left', async () => {
      const sandbox = await harness.open();
      const daemons =
        'import os, time\nfor _ in range(30):\n  if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(61.5)\n    os._exit(0)';
      await python(sandbox, daemons);
      const left = readdirSync('/proc').filter(
        (pid) => /^\d+$/.test(pid) && commandLineOf(pid).includes('time.sleep(61.5)'),
      );
      expect(left).toEqual([]);
    });

    test('a setsid, double-forked daemon ends with its command', async () => {
      const sandbox = await harness.open();
      await shell(sandbox, 'setsid sh -c "sleep 1; touch /work/survived" >/dev/null 2>&1 & exit 0');
      await shell(sandbox, 'sleep 1.5');
      expect((await sandbox.readFile('survived', { maxBytes: 10 })).kind).toBe('missing');
    });

    test('stop() ends everything that a running command started', async () => {
      const sandbox = await harness.open();
      const running = await sandbox.start({ argv: ['/bin/sh', '-c', 'sleep 60 & sleep 60'] });
      running.stdout.resume();
      running.stop();
      expect((await running.ended).ending).toEqual({ kind: 'stopped' });
    });

    test('destroy() ends what runs, removes all traces and may be called again', async () => {
      const sandbox = await harness.open();
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
      await (await harness.open()).exec({ argv: ['/usr/bin/true'] });
      const before = count();
      for (let i = 0; i < 15; i++) {
        const sandbox = await harness.open();
        await sandbox.exec({ argv: ['/usr/bin/true'] });
        await sandbox.destroy();
      }
      expect(count()).toBeLessThanOrEqual(before + 2);
    });
  });
}
