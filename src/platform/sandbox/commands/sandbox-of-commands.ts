import { chmod } from 'node:fs/promises';
import { readBeneath, removeBeneath, writeBeneath } from '../../base/beneath.ts';
import { ProctorError } from '../../base/errors.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import type { Command, Sandbox, SandboxSpec } from '../sandbox.ts';
import type { HostHelper } from './host-helper.ts';
import type { CommandHome, Launcher, NewFile } from './launcher.ts';
import { collect, type LiveCommand, runCommand } from './run-command.ts';
import { type Slot, uptimeMs } from './slots.ts';
import { usedBytes } from './used-bytes.ts';
import { openWaitingFiles } from './waiting-files.ts';

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
  /** See {@link Slots.setDeadline}. */
  readonly setDeadline: (untilMs: number | null) => void;
  readonly onDestroyed: (gone: Sandbox) => Promise<void>;
}

/** A sandbox over a slot that the driver has prepared. */
export function openSandboxOfCommands(made: Made): Sandbox {
  const { slot, cgroup, workFolder } = made;
  const running = new Set<LiveCommand>();
  const commands = startCommands(made, running);
  let destroyed: Promise<void> | null = null;

  const run = async (command: Command) => {
    if (destroyed !== null) throw new ProctorError('sandbox-failed', 'the sandbox is destroyed');
    return commands.run(command);
  };

  const sandbox: Sandbox = {
    id: slot.name,
    workFolder,
    exec: async (command) => collect(await run(command), command.stdin),
    start: run,
    ...filesOf(made, commands),
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
      diskBytes: made.uid === null ? null : usedBytes(workFolder),
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
    await commands.close();
    await made.onDestroyed(self);
  }

  return sandbox;
}

/** The commands of one sandbox, and the files that wait for the first of them. */
interface Commands {
  run(command: Command): Promise<LiveCommand>;
  /** Keeps a file for the first command; false when it has to be written. */
  keep(file: NewFile): boolean;
  /** Puts what was kept into the work folder now. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

function startCommands(made: Made, running: Set<LiveCommand>): Commands {
  const { spec, launcher, workFolder } = made;
  const { root, limits } = spec;
  let deadlineMs = 0;
  const home: CommandHome = {
    ...{ ...made, sandboxId: made.slot.name, root, limits },
    begins(wallMs) {
      deadlineMs = Math.max(deadlineMs, uptimeMs() + wallMs);
      made.setDeadline(deadlineMs);
    },
  };
  const entrance = launcher.enter(home);
  const waiting = openWaitingFiles({ diskBytes: spec.limits.diskBytes, enabled: launcher.takesFiles });
  /** When all that was kept for the first command is in the work folder; null before a first command. */
  let placed: Promise<void> | null = null;
  return {
    async run(command) {
      if (placed !== null) {
        await placed;
        await chmod(workFolder, 0o700); // a program may have locked the next one out of its own folder
      }
      made.setDeadline(null);
      const starting = runCommand({ home, entrance, launcherName: launcher.name, command, files: waiting.take() });
      placed ??= starting.then((live) => live.placed).catch(() => undefined);
      const live = await starting;
      running.add(live);
      const forget = () => running.delete(live);
      live.ended.then(forget, forget);
      return live;
    },
    keep: waiting.keep,
    async settle() {
      for (const file of waiting.take()) await write(made, file);
      await placed;
    },
    close: () => entrance.close(),
  };
}

function write({ workFolder, uid }: Made, { path, bytes, mode }: NewFile): Promise<void> {
  return writeBeneath(workFolder, path, { bytes, mode, ...(uid === null ? {} : { owner: uid }) });
}

function filesOf(made: Made, commands: Commands): Pick<Sandbox, 'writeFile' | 'readFile' | 'removeFile'> {
  return {
    async writeFile(path, bytes, mode = 0o644) {
      if (commands.keep({ path, bytes, mode })) return;
      await commands.settle();
      await write(made, { path, bytes, mode });
    },
    async readFile(path, bounds) {
      await commands.settle();
      return readBeneath(made.workFolder, path, bounds);
    },
    async removeFile(path) {
      await commands.settle();
      await removeBeneath(made.workFolder, path);
    },
  };
}
