import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './open-service.ts';
import { withService } from './with-service.ts';

/** Runs `use` with a service whose data are in a folder of their own that is removed afterwards. */
export async function withScratchService<T>(use: (service: Service) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'proctor-scratch-'));
  try {
    return await withService(use, { PROCTOR_DATA_DIR: folder, PROCTOR_DATABASE_URL: '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
