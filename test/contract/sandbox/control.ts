import { describe, expect, test } from 'vitest';
import { CONTRACT_LIMITS, type Harness, MEBIBYTE, python, shell, text } from './harness.ts';

export function controlContract(harness: Harness): void {
  describe('control', () => {
    test('freeze stops every process where it stands, thaw lets it go on', async (context) => {
      context.skip(!(await harness.driver().capabilities()).freeze, 'this driver cannot freeze here');
      const sandbox = await harness.open();
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
      context.skip(!(await harness.driver().capabilities()).freeze, 'this driver cannot freeze here');
      const sandbox = await harness.open();
      const running = await sandbox.start({ argv: ['/usr/bin/sleep', '60'] });
      running.stdout.resume();
      await sandbox.freeze();
      await sandbox.destroy();
      expect((await running.ended).ending).toEqual({ kind: 'stopped' });
    });

    test('usage grows with use', async () => {
      const sandbox = await harness.open();
      await python(sandbox, 'x = b"x" * (30 * 1024**2); sum(range(2_000_000))');
      const { cpuMs, memoryPeakBytes } = await sandbox.usage();
      if (cpuMs !== null) expect(cpuMs).toBeGreaterThan(20);
      if (memoryPeakBytes !== null) expect(memoryPeakBytes).toBeGreaterThan(30 * MEBIBYTE);
    });

    test('a need that this machine cannot hold is refused before start', async (context) => {
      context.skip((await harness.driver().capabilities()).freeze, 'this driver lacks nothing that could be asked for');
      const refused = harness.driver().create({ root: { kind: 'host' }, limits: CONTRACT_LIMITS, needs: ['freeze'] });
      await expect(refused).rejects.toMatchObject({ code: 'capability-missing' });
    });

    test('commands of one sandbox may run at the same time', async () => {
      const sandbox = await harness.open();
      const results = await Promise.all([1, 2, 3].map((n) => shell(sandbox, `sleep 0.1; echo ${n}`)));
      expect(results.map(({ stdout }) => text(stdout))).toEqual(['1', '2', '3']);
    });
  });
}
