import { describe } from 'vitest';
import type { SandboxDriver } from '../../src/platform/sandbox/sandbox.ts';
import { controlContract } from './sandbox/control.ts';
import { endingsContract } from './sandbox/endings.ts';
import { filesContract } from './sandbox/files.ts';
import { installHarness } from './sandbox/harness.ts';
import { lifetimeContract } from './sandbox/lifetime.ts';
import { limitsContract } from './sandbox/limits.ts';
import { linksContract } from './sandbox/links.ts';
import { wallsContract } from './sandbox/walls.ts';

/** What every sandbox driver must hold. Each check names the wound that it closes. */
export function sandboxContract(name: string, makeDriver: () => SandboxDriver): void {
  describe(`sandbox contract: ${name}`, () => {
    const harness = installHarness(makeDriver);
    endingsContract(harness);
    limitsContract(harness);
    lifetimeContract(harness);
    wallsContract(harness);
    filesContract(harness);
    controlContract(harness);
    linksContract(harness);
  });
}
