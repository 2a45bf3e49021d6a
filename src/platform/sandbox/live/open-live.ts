import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { readBeneath, removeBeneath, writeBeneath } from '../../base/beneath.ts';
import { ProctorError } from '../../base/errors.ts';
import type { Cgroup, CgroupHome } from '../cgroup/cgroup.ts';
import type { HostHelper } from '../commands/host-helper.ts';
import type { Launcher } from '../commands/launcher.ts';
import { type Places, removePlace, workFolderOf } from '../commands/places.ts';
import { endProcess, processMark } from '../commands/process-mark.ts';
import { copyForAll, type ServiceFolder } from '../commands/service-folder.ts';
import { KEEP_MS, type Slots, uptimeMs } from '../commands/slots.ts';
import { usedBytes } from '../commands/used-bytes.ts';
import type { LivePlace, LiveSandbox, LiveSpec, RunningStep, StepCommand } from '../live-sandbox.ts';
import type { Usage } from '../sandbox.ts';
import type { openCpuTurns } from './pick-cpus.ts';
import { startStep } from './start-step.ts';

/** What live sandboxes of one driver are made with. */
export interface LiveParts {
  readonly launcher: Launcher;
  readonly slots: Slots;
  readonly places: Places;
  readonly service: ServiceFolder;
  readonly helper: HostHelper;
  readonly cpuTurn: ReturnType<typeof openCpuTurns>;
  readonly cgroups: CgroupHome | null;
  /** Whether sandboxes have uids of their own: root's services give them. */
  readonly ownUid: boolean;
}

/** Makes a live sandbox: its files and cgroup, and the first process that holds its namespaces. */
export async function openLive(parts: LiveParts, spec: LiveSpec): Promise<LiveSandbox> {
  const { launcher, slots } = parts;
  refuseWithout(parts);
  const { root, limits, lifeMs } = spec;
  const taken = await parts.places.take(limits);
  try {
    const { slot, workFolder } = taken;
    const cgroup = taken.cgroup as Cgroup;
    const etcFolder = join(slot.folder, 'etc');
    cpSync(parts.service.etcFolder, etcFolder, { recursive: true, verbatimSymlinks: true }); // this service's folder goes with it
    slots.setDeadline(slot, uptimeMs() + lifeMs);
    const tools = copyTools(slot.folder, spec.tools ?? {});
    const home = { root, limits, workFolder, etcFolder, tools, uid: slot.uid, sandboxId: slot.name };
    const { first, ...held } = await launcher.hold({ ...home, cgroup: cgroup.exempt() });
    return liveSandbox(parts, { slot, first, ...held, limits, cpus: parts.cpuTurn(spec.cpus) });
  } catch (thrown) {
    await taken.cgroup?.endAll().catch(() => undefined); // what cannot be ended keeps its place, and is cleared with this service
    await removePlace(parts, taken).catch(() => undefined);
    throw thrown;
  }
}

function copyTools(folder: string, tools: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copies = Object.entries(tools).map(([name, source], index) => {
    const target = join(folder, `tool-${index}`);
    copyForAll(source, target);
    return [name, target] as const;
  });
  return Object.fromEntries(copies);
}

/** Takes over what another process has left; null when its first process or its folder is gone, `held` when its process is not. */
export async function adoptLive(parts: LiveParts, place: LivePlace): Promise<LiveSandbox | 'held' | null> {
  refuseWithout(parts);
  const isThere = place.first.mark !== null && processMark(place.first.pid) === place.first.mark;
  const taken = isThere ? parts.slots.adopt(place.slot) : 'gone';
  if (taken === 'taken') return liveSandbox(parts, place);
  return taken === 'held' ? 'held' : null;
}

function refuseWithout({ cgroups, ownUid, service }: LiveParts): void {
  if (cgroups !== null && ownUid && service.askingSeccompFile !== null) return;
  throw new ProctorError(
    'capability-missing',
    'live sandboxes need root, a writable cgroup and an x64 processor: steps could not be held apart',
  );
}

function liveSandbox(parts: LiveParts, place: LivePlace): LiveSandbox {
  const { slots, launcher } = parts;
  const { slot } = place;
  const cgroup = (parts.cgroups as CgroupHome).reopen(slot.name, slot.note ?? undefined);
  const workFolder = workFolderOf(slot);
  const keeping = setInterval(() => keepIfThere(slots, slot), KEEP_MS / 4).unref();
  slots.keep(slot);
  const steps = openSteps(parts, place, cgroup);
  let isOver = false;
  let destroying: Promise<void> | null = null;
  const endAll = async () => {
    endProcess(place.first); // and with it all of its pid namespace
    await cgroup.endAll();
    await steps.gone();
  };
  const destroy = async () => {
    clearInterval(keeping);
    await endAll();
    await launcher.release(place.handle);
    await removePlace(parts, { slot, cgroup });
  };
  return {
    ...{ id: slot.name, workFolder, hostFolder: slot.folder, place },
    async step(command: StepCommand) {
      if (isOver) throw new ProctorError('sandbox-failed', 'the sandbox is destroyed');
      return steps.start(command);
    },
    ...filesOf(workFolder, slot.uid),
    extend: (lifeMs) => slots.setDeadline(slot, uptimeMs() + lifeMs),
    isAlive: () => !isOver && processMark(place.first.pid) === place.first.mark,
    freeze: () => cgroup.freeze(),
    thaw: async () => cgroup.thaw(),
    usage: async () => usageOf(cgroup, workFolder),
    endAll,
    destroy() {
      isOver = true;
      destroying ??= destroy().catch((thrown) => {
        destroying = null; // it may be tried again
        throw thrown;
      });
      return destroying;
    },
    leave() {
      clearInterval(keeping);
      steps.leave();
    },
  };
}

function filesOf(workFolder: string, owner: number): Pick<LiveSandbox, 'writeFile' | 'readFile' | 'removeFile'> {
  return {
    writeFile: (path, bytes, mode = 0o644) => writeBeneath(workFolder, path, { bytes, mode, owner }),
    readFile: (path, bounds) => readBeneath(workFolder, path, bounds),
    removeFile: (path) => removeBeneath(workFolder, path),
  };
}

function usageOf(cgroup: Cgroup, workFolder: string): Usage {
  return { cpuMs: cgroup.cpuMs(), memoryPeakBytes: cgroup.memoryPeakBytes(), diskBytes: usedBytes(workFolder) };
}

/** Its folder may be gone, or full: who asks for a step is told. */
function keepIfThere(slots: Slots, slot: LivePlace['slot']): void {
  try {
    slots.keep(slot);
  } catch {
    // the next time may do
  }
}

/** The steps of one live sandbox, each in a cgroup of its own. */
function openSteps({ helper, service }: LiveParts, place: LivePlace, cgroup: Cgroup) {
  const running = new Set<RunningStep>();
  let started = 0;
  return {
    async start(command: StepCommand): Promise<RunningStep> {
      const own = cgroup.child(`step-${process.pid}-${started++}`);
      const home = { place, helper, cgroup: own, filterPath: service.askingSeccompFile as string };
      const step = await startStep(home, command).catch((thrown) => {
        own.remove();
        throw thrown;
      });
      running.add(step);
      void step.gone.then(() => {
        running.delete(step);
        removeEmpty(own);
      });
      return step;
    },
    leave() {
      for (const step of running) step.leave();
    },
    gone: async () => void (await Promise.all([...running].map((step) => step.gone))),
  };
}

/** It is busy for some milliseconds after its last process; what stays goes with the sandbox. */
function removeEmpty(cgroup: Cgroup): void {
  const tryIt = () => {
    try {
      cgroup.remove();
    } catch {
      // it goes with the sandbox
    }
  };
  setTimeout(tryIt, 50).unref();
}
