import { describe, expect, test } from 'vitest';
import { type Harness, MEBIBYTE, python, run, shell, text } from './harness.ts';

export function endingsContract(harness: Harness): void {
  describe('endings are data', () => {
    test('an exit code comes back as it is', async () => {
      expect((await shell(await harness.open(), 'exit 37')).ending).toEqual({ kind: 'exited', code: 37 });
    });

    test('death by a signal is told apart from an exit', async () => {
      expect((await shell(await harness.open(), 'kill -SEGV $$')).ending).toEqual({ kind: 'signalled', signal: 11 });
    });

    test('an exit code above 128 is not taken for a signal', async () => {
      expect((await shell(await harness.open(), 'exit 139')).ending).toEqual({ kind: 'exited', code: 139 });
    });

    test('a program that is not there is the caller of it failing, not the platform', async () => {
      const { ending } = await run(await harness.open(), ['/work/no-such-program']);
      expect(ending).toMatchObject({ kind: 'exited', code: 127 });
    });

    test('a program is found by the PATH that its command gives', async () => {
      const sandbox = await harness.open();
      await sandbox.writeFile('own/tool', Buffer.from('#!/bin/sh\necho found\n'), 0o755);
      expect((await run(sandbox, ['wc', '--version'])).ending).toEqual({ kind: 'exited', code: 0 });
      expect(text((await run(sandbox, ['tool'], { env: { PATH: '/work/own:/usr/bin' } })).stdout)).toBe('found');
    });

    test('the ending is told also when the program leaves its error stream full and non-blocking', async () => {
      const source =
        'import fcntl, os\nfcntl.fcntl(2, 1031, 4096)\nos.set_blocking(2, False)\ntry:\n  for _ in range(2000): os.write(2, b"x" * 4096)\nexcept BlockingIOError: pass\nos._exit(7)';
      const sandbox = await harness.open({ outputBytes: 16 * MEBIBYTE });
      for (let round = 0; round < 5; round++) {
        expect((await python(sandbox, source)).ending).toEqual({ kind: 'exited', code: 7 });
      }
    });

    test('arguments are passed as they are: no shell looks at them', async () => {
      const hostile = '$(touch /work/pwned); `id` "quoted" \'single\' \\ * ;';
      const { stdout } = await run(await harness.open(), ['/usr/bin/printf', '%s', hostile]);
      expect(stdout.toString()).toBe(hostile);
    });

    test('standard input arrives whole and ends: a reader is not left waiting', async () => {
      const input = Buffer.alloc(300_000, 'x');
      const { stdout, ending } = await run(await harness.open(), ['/usr/bin/wc', '-c'], { stdin: input });
      expect(ending).toEqual({ kind: 'exited', code: 0 });
      expect(text(stdout)).toBe('300000');
    });

    test('without input a reader sees the end at once', async () => {
      expect(text((await run(await harness.open(), ['/usr/bin/wc', '-c'])).stdout)).toBe('0');
    });

    test('a program that does not read its input is no error', async () => {
      const { ending } = await run(await harness.open(), ['/usr/bin/true'], { stdin: Buffer.alloc(MEBIBYTE) });
      expect(ending).toEqual({ kind: 'exited', code: 0 });
    });

    test('/dev/stdin and /dev/stderr can be opened: honest scripts do that', async () => {
      const { stdout, stderr } = await shell(await harness.open(), 'cat /dev/stdin; echo note > /dev/stderr', {
        stdin: Buffer.from('in'),
      });
      expect(text(stdout)).toBe('in');
      expect(text(stderr)).toBe('note');
    });
  });
}
