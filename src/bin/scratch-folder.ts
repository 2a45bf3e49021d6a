import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INTERRUPTED = 130;

/** Runs `use` with a folder that is removed afterwards, also when the program is interrupted. */
export async function withScratchFolder<T>(prefix: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `proctor-${prefix}-`));
  // at exit, so that of folders within each other's use each is removed, whoever hears the signal first
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove).once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await use(folder);
  } finally {
    process.off('exit', remove).off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await rm(folder, { recursive: true, force: true });
  }
}

function interrupted(): void {
  process.stderr.write('\ninterrupted; nothing is kept\n');
  process.exit(INTERRUPTED);
}
