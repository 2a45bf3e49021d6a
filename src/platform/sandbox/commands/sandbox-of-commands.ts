import { chmod, statfs } from 'node:fs/promises';
import { readBeneath, removeBeneath, writeBeneath } from '../../base/beneath.ts';
import { ProctorError } from '../../base/errors.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import type { Command, Sandbox, SandboxSpec } from '../sandbox.ts';
import type { HostHelper } from './host-helper.ts';
import type { CommandHome, Launcher } from './launcher.ts';
import { collect, type LiveCommand, runCommand } from './run-command.ts';
import type { Slot } from './slots.ts';

interface Made {
  readonly slot: Slot;
  readonly spec: SandboxSpec;
  readonly launcher: Launcher;
  readonly helper: HostHelper;
  readonly cgroup: Cgroup | null;
  readonly etcFolder: string;
  readonly seccompFile: string | null;
  readonly uid: number | null;
  readonly tools: Readonly<Record<string, string>>;
  readonly workFolder: string;
  readonly onDestroyed: (gone: Sandbox) => Promise<void>;
}

/** A sandbox over a slot that the driver has prepared. */
export function openSandboxOfCommands(made: Made): Sandbox {
  const { slot, spec, cgroup, workFolder } = made;
  const home: CommandHome = { ...made, root: spec.root, limits: spec.limits };
  const running = new Set<LiveCommand>();
  let destroyed: Promise<void> | null = null;

  const run = async (command: Command) => {
    if (destroyed !== null) throw new ProctorError('sandbox-failed', 'the sandbox is destroyed');
    await chmod(workFolder, 0o700); // a program may have locked the next one out of its own folder
    const live = await runCommand(home, command);
    running.add(live);
    const forget = () => running.delete(live);
    live.ended.then(forget, forget);
    return live;
  };

  const sandbox: Sandbox = {
    id: slot.name,
    workFolder,
    exec: async (command) => collect(await run(command), command.stdin),
    start: run,
    writeFile: (path, bytes, mode = 0o644) =>
      writeBeneath(workFolder, path, { bytes, mode, ...(made.uid === null ? {} : { owner: made.uid }) }),
    readFile: (path, bounds) => readBeneath(workFolder, path, bounds),
    removeFile: (path) => removeBeneath(workFolder, path),
    async freeze() {
      if (cgroup === null) throw new ProctorError('capability-missing', 'freezing needs a writable cgroup');
      await cgroup.freeze();
    },
    async thaw() {
      cgroup?.thaw();
    },
    usage: async () => ({
      cpuMs: cgroup?.cpuMs() ?? null,
      memoryPeakBytes: cgroup?.memoryPeakBytes() ?? null,
      diskBytes: made.uid === null ? null : await usedBytes(workFolder),
    }),
    destroy() {
      destroyed ??= destroy(sandbox);
      return destroyed;
    },
  };

  async function destroy(self: Sandbox): Promise<void> {
    for (const live of running) live.stop();
    cgroup?.thaw();
    await Promise.allSettled([...running].map((live) => live.ended));
    await made.onDestroyed(self);
  }

  return sandbox;
}

async function usedBytes(folder: string): Promise<number> {
  const facts = await statfs(folder);
  return (facts.blocks - facts.bfree) * facts.bsize;
}
