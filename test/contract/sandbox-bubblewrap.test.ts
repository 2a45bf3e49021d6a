import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createBubblewrapDriver } from '../../src/platform/sandbox/bubblewrap/bubblewrap-driver.ts';
import { liveContract } from './live-contract.ts';
import { sandboxContract } from './sandbox-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'proctor-contract-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

sandboxContract('bubblewrap', () => createBubblewrapDriver({ stateFolder: join(folder, 'full') }));
sandboxContract('bubblewrap without cgroups', () =>
  createBubblewrapDriver({ stateFolder: join(folder, 'bare'), cgroups: 'none' }),
);
liveContract('bubblewrap', () => createBubblewrapDriver({ stateFolder: join(folder, 'live') }));
