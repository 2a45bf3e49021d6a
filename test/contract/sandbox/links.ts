import { describe, expect, test } from 'vitest';
import { LINK_DESCRIPTORS } from '../../../src/platform/sandbox/sandbox.ts';
import { type Harness, text } from './harness.ts';

const { read, write } = LINK_DESCRIPTORS;
const SAY = `import os; os.write(${write}, b"said")`;
const HEAR = `import os; print(os.read(${read}, 100).decode())`;
const python = (source: string) => ['/usr/bin/python3', '-I', '-c', source] as const;

export function linksContract(harness: Harness): void {
  describe('links', () => {
    test('what one sandbox writes on its end the other reads on its own, both ways', async () => {
      const [first, second] = [await harness.open(), await harness.open()];
      const link = await harness.driver().link();
      const both = `${SAY}; ${HEAR}`;
      const heard = await Promise.all([
        first.exec({ argv: python(both), link: link.ends[0] }),
        second.exec({ argv: python(both), link: link.ends[1] }),
      ]);
      link.close();
      expect(heard.map(({ stdout }) => text(stdout))).toEqual(['said', 'said']);
    });

    test('a program without a link has no such descriptors', async () => {
      const sandbox = await harness.open();
      const { stdout } = await sandbox.exec({
        argv: python(`import os; print(sorted(map(int, os.listdir("/proc/self/fd"))))`),
      });
      expect(text(stdout)).not.toMatch(/\b[78]\b/);
    });

    test('what a program left unread is gone after a drain, and the end serves the next one', async () => {
      const [first, second] = [await harness.open(), await harness.open()];
      const link = await harness.driver().link();
      await first.exec({ argv: python(SAY), link: link.ends[0] });
      link.drain(link.ends[1]);
      await first.exec({ argv: python(`import os; os.write(${write}, b"again")`), link: link.ends[0] });
      const { stdout } = await second.exec({ argv: python(HEAR), link: link.ends[1] });
      link.close();
      expect(text(stdout)).toBe('again');
    });

    test('links that are closed twice are closed once', async () => {
      const link = await harness.driver().link();
      link.close();
      expect(() => link.close()).not.toThrow();
    });
  });
}
