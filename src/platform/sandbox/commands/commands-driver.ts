import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, ProctorError } from '../../base/errors.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { findCgroupHome } from '../cgroup/find-cgroup.ts';
import { adoptLive, type LiveParts, openLive } from '../live/open-live.ts';
import { openCpuTurns } from '../live/pick-cpus.ts';
import type { LiveDriver, LiveSandbox } from '../live-sandbox.ts';
import {
  type Capabilities,
  ISOLATION_TIERS,
  type Need,
  type Reaped,
  type Sandbox,
  type SandboxSpec,
} from '../sandbox.ts';
import { startHostHelper } from './host-helper.ts';
import type { Launcher } from './launcher.ts';
import { openPlaces, removePlace } from './places.ts';
import { killIfThere } from './process-mark.ts';
import { openSandboxOfCommands } from './sandbox-of-commands.ts';
import { makeServiceFolder, type ServiceFolder } from './service-folder.ts';
import { openSlots, type Slot, type Slots } from './slots.ts';

/** How long after its deadline a program is left to its own service, which may be busy. */
const OVERDUE_MS = 10_000;

/** Uids and cgroup names are the machine's, so the slots of all services of root are claimed in one place. */
const MACHINE_FOLDER = '/run/proctor';

type Parts = LiveParts;

/** What a driver is made with. */
export interface CommandsDriverOptions {
  /** Holds slots and staged files; must be on a file system of this host. */
  readonly stateFolder: string;
  readonly cgroups?: 'find' | 'none';
  /** Makes what starts the commands, given the folder of this service. */
  readonly launcher: (service: ServiceFolder) => Launcher;
}

/** Sandboxes as folders and cgroups of their own, in which each command runs in fresh namespaces. */
export function createCommandsDriver(options: CommandsDriverOptions): LiveDriver {
  const parts = openParts(options);
  const { launcher, places } = parts;
  const capabilities = probeUntilUsable(parts);
  const living = new Set<{ destroy(): Promise<void> }>();
  const dirty = new Set<() => Promise<void>>();
  const known = (sandbox: LiveSandbox) => knownLive(living, dirty, sandbox);
  return {
    name: launcher.name,
    capabilities,
    prepareRoot: launcher.prepareRoot,
    async create(spec) {
      refuseMissing(await capabilities(), spec);
      await clean(dirty);
      const sandbox = await createSandbox(parts, spec, {
        gone: (destroyed) => living.delete(destroyed),
        dirty: (retry) => dirty.add(retry),
      });
      living.add(sandbox);
      return sandbox;
    },
    async open(spec) {
      refuseMissing(await capabilities(), spec);
      await clean(dirty);
      return known(await openLive(parts, spec));
    },
    async adopt(place) {
      const sandbox = await adoptLive(parts, place);
      return sandbox === null || sandbox === 'held' ? sandbox : known(sandbox);
    },
    link: () => launcher.link(parts.helper),
    reap: () => reap(parts),
    async close() {
      await Promise.all([...living].map((sandbox) => sandbox.destroy()));
      await clean(dirty);
      await launcher.close();
      await places.close();
      await parts.helper.close();
      parts.service.remove();
    },
  };
}

function openParts(options: CommandsDriverOptions): Parts {
  const machineWide = process.getuid?.() === 0;
  for (const folder of [options.stateFolder, ...(machineWide ? [MACHINE_FOLDER] : [])]) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    chmodSync(folder, 0o711);
  }
  if (machineWide) refuseUnreachable(options.stateFolder);
  else refuseForeign(options.stateFolder);
  const cgroups = options.cgroups === 'none' ? null : findCgroupHome();
  const service = makeServiceFolder(options.stateFolder);
  const launcher = options.launcher(service);
  const slots = openSlots(machineWide ? MACHINE_FOLDER : options.stateFolder, cgroups?.place ?? null);
  const helper = startHostHelper();
  const ownUid = machineWide;
  const places = openPlaces({ slots, cgroups, helper, ownUid });
  return { service, launcher, cgroups, slots, helper, ownUid, places, cpuTurn: openCpuTurns() };
}

/** A live sandbox that is destroyed with its driver, unless it is left before; what of it cannot be removed is tried again with the next one. */
function knownLive(
  living: Set<{ destroy(): Promise<void> }>,
  dirty: Set<() => Promise<void>>,
  sandbox: LiveSandbox,
): LiveSandbox {
  const forget = () => void living.delete(sandbox);
  living.add(sandbox);
  return {
    ...sandbox,
    async destroy() {
      await sandbox.destroy().catch(() => dirty.add(sandbox.destroy));
      forget();
    },
    leave() {
      sandbox.leave();
      forget();
    },
  };
}

/** bubblewrap runs as the sandbox's own uid and must get to what it binds. */
function refuseUnreachable(folder: string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o001) !== 0) continue;
    throw new ProctorError(
      'invalid-config',
      `sandboxes cannot reach ${folder}: ${at} is closed to other users; set PROCTOR_STATE_DIR`,
    );
  }
}

/** Tries again to give back what could not be given back when its sandbox was destroyed. */
async function clean(dirty: Set<() => Promise<void>>): Promise<void> {
  for (const retry of [...dirty]) {
    await retry().then(
      () => dirty.delete(retry),
      () => undefined,
    );
  }
}

/** What the driver is told about its sandboxes. */
interface Told {
  gone(sandbox: Sandbox): void;
  dirty(retry: () => Promise<void>): void;
}

/** A folder in /tmp may have been made by somebody else, who could change what is staged there. */
function refuseForeign(folder: string): void {
  if (statSync(folder).uid === process.getuid?.()) return;
  throw new ProctorError('invalid-config', `${folder} belongs to another user; set PROCTOR_STATE_DIR`);
}

/** A machine does not lose what it could do; what it could not, it may by now. */
function probeUntilUsable({ launcher, cgroups }: Parts): () => Promise<Capabilities> {
  let probed: Promise<Capabilities> | null = null;
  return async () => {
    probed ??= launcher.probe(cgroups);
    const found = await probed;
    if (!found.usable) probed = null;
    return found;
  };
}

async function createSandbox(parts: Parts, spec: SandboxSpec, told: Told): Promise<Sandbox> {
  const { places, service, launcher, helper, ownUid } = parts;
  const place = await places.take(spec.limits);
  const tools = Object.entries(spec.tools ?? {}).map(([name, path]) => [name, service.stage(path)] as const);
  return openSandboxOfCommands({
    ...{ launcher, spec, helper, ...place },
    etcFolder: service.etcFolder,
    seccompFile: service.seccompFile,
    uid: ownUid ? place.slot.uid : null,
    tools: Object.fromEntries(tools),
    setDeadline: (untilMs) => setDeadline(parts.slots, place.slot, untilMs),
    // a grade is not worth less because its sandbox could not be cleared away; the slot stays claimed until it is
    onDestroyed: async (gone) => {
      await places.giveBack(place, spec.limits).catch(() => told.dirty(() => removePlace(parts, place)));
      told.gone(gone);
    },
  });
}

function setDeadline(slots: Slots, slot: Slot, untilMs: number | null): void {
  try {
    slots.setDeadline(slot, untilMs);
  } catch (cause) {
    throw new ProctorError('sandbox-failed', `the slot of a sandbox was lost: ${messageOf(cause)}`, {}, { cause });
  }
}

async function reap(parts: Parts): Promise<Reaped> {
  let [removed, overdue, failed] = [0, 0, 0];
  await parts.launcher.reap().catch(() => failed++);
  for (const slot of parts.slots.takeAbandoned()) {
    try {
      const cgroup = cgroupOf(parts, slot);
      endAll(cgroup);
      await removePlace(parts, { slot, cgroup });
      removed++;
    } catch {
      failed++; // it stays for the next time; a slot that cannot be cleared must not keep the service from starting
    }
  }
  for (const slot of parts.slots.overdue(OVERDUE_MS)) {
    if (endAll(cgroupOf(parts, slot))) overdue++;
  }
  return { removed, overdue, failed };
}

/** A slot's cgroup, where whoever has or had the slot has made it. */
function cgroupOf({ cgroups }: Parts, { name, note }: Slot): Cgroup | null {
  return cgroups?.reopen(name, note ?? cgroups.place) ?? null;
}

/** Ends all processes of a cgroup, the first of them first; false when there are none. */
function endAll(cgroup: Cgroup | null): boolean {
  const pids = [...(cgroup?.pids() ?? [])].sort((a, b) => a - b);
  for (const pid of pids) killIfThere(pid);
  if (pids.length > 0) cgroup?.thaw();
  return pids.length > 0;
}

const HELD: Record<Need, (can: Capabilities) => boolean> = {
  freeze: (can) => can.freeze,
  'memory-total': (can) => can.limits.memory === 'total',
  'disk-total': (can) => can.limits.disk === 'total',
  'own-uid': (can) => can.ownUid,
  seccomp: (can) => can.seccomp,
};

function refuseMissing(can: Capabilities, { needs = [], isolation = 'namespaced' }: SandboxSpec): void {
  if (!can.usable) throw new ProctorError('capability-missing', can.remarks.join('; '));
  if (ISOLATION_TIERS.indexOf(can.isolation) < ISOLATION_TIERS.indexOf(isolation)) {
    throw new ProctorError(
      'capability-missing',
      `the task wants isolation ${isolation} or better; ${can.driver} here gives ${can.isolation}`,
      { wanted: isolation, given: can.isolation },
    );
  }
  const missing = needs.filter((need) => !HELD[need](can));
  if (missing.length > 0) {
    throw new ProctorError('capability-missing', `${can.driver} here cannot hold: ${missing.join(', ')}`, { missing });
  }
}
