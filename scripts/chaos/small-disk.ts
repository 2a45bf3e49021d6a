import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../src/platform/base/errors.ts';

/** Enough for what is stored, and filled in a moment. */
const MEBIBYTES = 192;

/** A file system of its own for a folder. */
export interface SmallDisk {
  fill(): void;
  free(): void;
  unmount(): void;
}

/** Mounts one where this process may, else gives null. */
export function mountSmallDisk(folder: string): SmallDisk | null {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() !== 0) return null;
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m,mode=755`, 'chaos', folder]);
  const ballast = join(folder, 'ballast');
  return {
    fill() {
      const file = openSync(ballast, 'w');
      try {
        for (const chunk = Buffer.alloc(1024 ** 2); ; ) writeSync(file, chunk);
      } catch (thrown) {
        if (errnoOf(thrown) !== 'ENOSPC') throw thrown;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount: () => void execFileSync('umount', ['--lazy', folder]),
  };
}
