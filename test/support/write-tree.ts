import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes files beneath a folder, but for those that are null; those that end in `.sh` may be run. */
export async function writeTree(
  folder: string,
  files: Readonly<Record<string, string | Buffer | null>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (content === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    await chmod(join(folder, path), path.endsWith('.sh') ? 0o700 : 0o600);
  }
}
