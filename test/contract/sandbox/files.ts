import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Harness, shell } from './harness.ts';

export function filesContract(harness: Harness): void {
  describe('files in and out', () => {
    test('what is written is there, and what the program writes can be read', async () => {
      const sandbox = await harness.open();
      await sandbox.writeFile('deep/er/in.txt', Buffer.from('hello'));
      await shell(sandbox, 'tr a-z A-Z < deep/er/in.txt > out.txt');
      expect(await sandbox.readFile('out.txt', { maxBytes: 100 })).toMatchObject({
        kind: 'file',
        bytes: Buffer.from('HELLO'),
      });
    });

    test('a link, a FIFO, a folder and a missing file are not read as files', async () => {
      const sandbox = await harness.open();
      await shell(sandbox, 'ln -s /etc/passwd link; mkfifo fifo; mkdir folder; ln -s loop loop');
      for (const name of ['link', 'fifo', 'folder', 'loop']) {
        expect([name, (await sandbox.readFile(name, { maxBytes: 100 })).kind]).toEqual([name, 'not-a-file']);
      }
      expect((await sandbox.readFile('none', { maxBytes: 100 })).kind).toBe('missing');
    });

    test('a link in the middle of a path is not followed, neither reading nor writing', async () => {
      const sandbox = await harness.open();
      await shell(sandbox, 'ln -s /etc etc; ln -s /tmp here');
      expect((await sandbox.readFile('etc/passwd', { maxBytes: 100_000 })).kind).toBe('not-a-file');
      await expect(sandbox.writeFile('here/planted', Buffer.from('x'))).rejects.toThrow();
      expect(existsSync('/tmp/planted')).toBe(false);
    });

    test('a link at the end of a path is replaced, not written through', async () => {
      const sandbox = await harness.open();
      await shell(sandbox, 'ln -s /tmp/proctor-written-through out');
      await sandbox.writeFile('out', Buffer.from('mine'));
      expect(existsSync('/tmp/proctor-written-through')).toBe(false);
      expect(await sandbox.readFile('out', { maxBytes: 100 })).toMatchObject({ kind: 'file' });
    });

    test('paths that leave the work folder are refused', async () => {
      const sandbox = await harness.open();
      for (const path of ['../x', '/etc/x', 'a/../../x', '', 'a//b', 'a\0b', '.']) {
        await expect(sandbox.writeFile(path, Buffer.from('x'))).rejects.toMatchObject({ code: 'bad-request' });
      }
    });

    test('odd names are only names', async () => {
      const sandbox = await harness.open();
      for (const name of ['-rf', '$(id)', 'new\nline', '\u202egnp.py', 'a b', '*']) {
        await sandbox.writeFile(name, Buffer.from(name));
        expect(await sandbox.readFile(name, { maxBytes: 100 })).toMatchObject({
          kind: 'file',
          bytes: Buffer.from(name),
        });
      }
    });

    test('a program that locks its own folder does not lock the next one out', async () => {
      const sandbox = await harness.open();
      await shell(sandbox, 'chmod 000 /work');
      expect((await shell(sandbox, 'echo in > /work/file; cat /work/file')).ending).toEqual({
        kind: 'exited',
        code: 0,
      });
    });
  });
}
