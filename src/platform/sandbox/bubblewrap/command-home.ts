import type { Cgroup } from '../cgroup/cgroup.ts';
import type { SandboxLimits, SandboxRoot } from '../sandbox.ts';
import type { HostHelper } from './host-helper.ts';

/** What a command needs of its sandbox. */
export interface CommandHome {
  readonly helper: HostHelper;
  readonly root: SandboxRoot;
  readonly limits: SandboxLimits;
  readonly workFolder: string;
  readonly etcFolder: string;
  readonly tools: Readonly<Record<string, string>>;
  readonly uid: number | null;
  readonly cgroup: Cgroup | null;
  readonly seccompFile: string | null;
}
