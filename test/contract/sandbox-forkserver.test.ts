import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';
import { createForkDriver, whyNoForkServer } from '../../src/platform/sandbox/forkserver/fork-driver.ts';
import { sandboxContract } from './sandbox-contract.ts';

const forkFolder = fileURLToPath(new URL('../../graders/forkserver', import.meta.url));
const fault = whyNoForkServer(forkFolder);
const folder = mkdtempSync(join(tmpdir(), 'proctor-contract-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

if (fault === null) {
  sandboxContract('forkserver', () => createForkDriver({ stateFolder: join(folder, 'full'), forkFolder }));
  sandboxContract('forkserver without cgroups', () =>
    createForkDriver({ stateFolder: join(folder, 'bare'), forkFolder, cgroups: 'none' }),
  );
} else {
  describe('sandbox contract: forkserver', () => test.skip(`not here: ${fault}`, () => undefined));
}
