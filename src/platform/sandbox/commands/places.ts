import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../base/errors.ts';
import type { Cgroup, CgroupHome, CgroupLimits } from '../cgroup/cgroup.ts';
import type { HostHelper } from './host-helper.ts';
import { FILES_FOLDER, type Slot, type Slots } from './slots.ts';

/** A sandbox's own folder in its files. */
const WORK = 'work';
/** How many places are kept for the next sandbox instead of being made again. */
const MOST_IDLE = 32;

/** Where a sandbox is: a slot with its uid, a cgroup with the sandbox's limits, and a fresh work folder. */
export interface Place {
  readonly slot: Slot;
  readonly cgroup: Cgroup | null;
  readonly workFolder: string;
}

/** What a place must hold. */
export interface PlaceLimits extends CgroupLimits {
  readonly diskBytes: number;
}

/** Places of one driver. */
export interface Places {
  take(limits: PlaceLimits): Promise<Place>;
  /** Gives a place back; its processes must be gone. Rejects when something of it is still in use; then it is taken still. */
  giveBack(place: Place, limits: PlaceLimits): Promise<void>;
  /** Removes those that are kept. */
  close(): Promise<void>;
}

interface Parts {
  readonly slots: Slots;
  readonly cgroups: CgroupHome | null;
  readonly helper: HostHelper;
  /** Whether work folders are file systems of their own, owned by their slot's uid. */
  readonly ownUid: boolean;
}

/** One inode for each 4 KiB of the work folder, and some for small ones. */
const inodesFor = (diskBytes: number) => Math.ceil(diskBytes / 4096) + 1024;

/** Files of a sandbox never outlive it; a slot and an empty cgroup may, for another one with the same limits. */
export function openPlaces(parts: Parts): Places {
  const idle: (Omit<Place, 'workFolder'> & { readonly key: string })[] = [];
  return {
    async take(limits) {
      const found = idle.findIndex(({ key }) => key === keyOf(limits));
      const [kept] = found === -1 ? [] : idle.splice(found, 1);
      const slot = kept?.slot ?? parts.slots.claim();
      const place = { slot, cgroup: kept?.cgroup ?? null, workFolder: workFolderOf(slot) };
      try {
        const cgroup = place.cgroup ?? parts.cgroups?.make(slot.name, limits) ?? null;
        await makeWorkFolder(parts, slot, limits.diskBytes);
        return { ...place, cgroup };
      } catch (thrown) {
        await removePlace(parts, { ...place, cgroup: place.cgroup ?? parts.cgroups?.reopen(slot.name) ?? null });
        throw thrown;
      }
    },
    async giveBack(place, limits) {
      const isClean = parts.ownUid && idle.length < MOST_IDLE && (place.cgroup === null || place.cgroup.renew());
      if (!isClean) return removePlace(parts, place);
      await parts.helper.unmount(filesOf(place.slot));
      idle.push({ ...place, key: keyOf(limits) });
    },
    async close() {
      for (const place of idle.splice(0)) await removePlace(parts, place);
    },
  };
}

function keyOf({ memoryBytes, processes }: CgroupLimits): string {
  return `${memoryBytes} ${processes}`;
}

function filesOf(slot: Slot): string {
  return join(slot.folder, FILES_FOLDER);
}

/** The work folder of a slot's sandbox. */
export function workFolderOf(slot: Slot): string {
  return join(filesOf(slot), WORK);
}

/** The folder in a file system of its own, which is all that is made for a kept place. */
async function makeWorkFolder({ ownUid, helper }: Parts, slot: Slot, bytes: number): Promise<void> {
  if (!ownUid) {
    mkdirSync(workFolderOf(slot), { mode: 0o700 });
    return;
  }
  await helper.mount({ path: filesOf(slot), bytes, inodes: inodesFor(bytes), folder: WORK, uid: slot.uid });
}

/** Removes a place with all that is in it; its processes must be gone. May be called again when it rejects. */
export async function removePlace(
  parts: Pick<Parts, 'ownUid' | 'helper' | 'slots'>,
  place: Omit<Place, 'workFolder'>,
): Promise<void> {
  if (parts.ownUid) await parts.helper.unmount(filesOf(place.slot));
  if (place.cgroup !== null) await removeCgroup(place.cgroup);
  parts.slots.release(place.slot);
}

/** A cgroup is busy for some milliseconds after its last process was reaped. */
async function removeCgroup(cgroup: Cgroup): Promise<void> {
  for (let tried = 0; ; tried++) {
    try {
      return cgroup.remove();
    } catch (thrown) {
      if (errnoOf(thrown) !== 'EBUSY' || tried === 200) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
