import { randomInt } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { errnoOf, ProctorError } from '../../base/errors.ts';
import { processMark } from './process-mark.ts';

/** Outer uids of sandboxes: 61000 and up, one for each slot (outside Debian's ranges for users and services). */
const FIRST_UID = 61_000;
const SLOT_COUNT = 1_000;
/** Where a sandbox's files are, in its slot; what is mounted there goes with the sandbox. */
export const FILES_FOLDER = 'files';
/** A slot: a number that no living sandbox on this machine shares, with its uid and host-only folder. */
export interface Slot {
  readonly name: string;
  readonly uid: number;
  readonly folder: string;
}

/** Slots as folders below the state folder; making the folder is the claim, so two services never share one. */
export interface Slots {
  claim(): Slot;
  release(slot: Slot): void;
  /** Slots whose service is dead; they are this service's now, to be cleared and released. */
  takeAbandoned(): readonly Slot[];
  /** Says until when a slot's programs may run, in milliseconds of this machine's uptime: whoever clears away holds them to it. */
  setDeadline(slot: Slot, untilMs: number): void;
  /** Slots in use whose deadline passed at least `graceMs` ago, whoever has them. */
  overdue(graceMs: number): readonly Slot[];
}

/** Holds the mark of the process that has a slot; its time of change is the slot's deadline, once it has one: until then it is far off. */
const OWNER = 'owner';

/** The clock of deadlines: the same for all processes of this machine, and nobody sets it. */
export const uptimeMs = () => uptime() * 1_000;

export function openSlots(stateFolder: string): Slots {
  const base = join(stateFolder, 'slots');
  mkdirSync(base, { recursive: true, mode: 0o711 });
  let next = randomInt(SLOT_COUNT); // so that all services do not meet at the same slots
  return {
    claim() {
      for (let tried = 0; tried < SLOT_COUNT; tried++) {
        const slot = slotAt(base, next);
        next = (next + 1) % SLOT_COUNT;
        if (tryClaim(base, slot)) return slot;
      }
      throw new ProctorError('sandbox-failed', `all ${SLOT_COUNT} sandbox slots of this machine are in use`);
    },
    release: (slot) => removeTree(slot.folder),
    takeAbandoned: () =>
      readdirSync(base)
        .filter((name) => /^(\d+|reaping-\d+-.*)$/.test(name))
        .map((name) => takeIfAbandoned(base, name))
        .filter((slot) => slot !== null),
    setDeadline: (slot, untilMs) => utimesSync(join(slot.folder, OWNER), untilMs / 1000, untilMs / 1000),
    overdue: (graceMs) =>
      readdirSync(base)
        .filter((name) => /^\d+$/.test(name))
        .map((name) => slotAt(base, Number(name)))
        .filter(({ folder }) => {
          const deadlineMs = statSync(join(folder, OWNER), { throwIfNoEntry: false })?.mtimeMs;
          return deadlineMs !== undefined && deadlineMs + graceMs < uptimeMs();
        }),
  };
}

function slotAt(base: string, index: number): Slot {
  return { name: `slot-${index}`, uid: FIRST_UID + index, folder: join(base, String(index)) };
}

/** A slot appears whole, with its owner, by a rename; the second who tries finds it there. */
function tryClaim(base: string, slot: Slot): boolean {
  if (existsSync(slot.folder)) return false;
  const fresh = mkdtempSync(join(base, 'claiming-'));
  try {
    writeFileSync(join(fresh, OWNER), processMark(process.pid) ?? '');
    mkdirSync(join(fresh, FILES_FOLDER), { mode: 0o711 });
    chmodSync(fresh, 0o711);
    renameSync(fresh, slot.folder);
    return true;
  } catch (thrown) {
    rmSync(fresh, { recursive: true, force: true });
    if (['EEXIST', 'ENOTEMPTY'].includes(errnoOf(thrown) ?? '')) return false;
    throw thrown;
  }
}

/** Takes a slot of a dead service out of the others' reach by a rename: one of several reapers wins it. */
function takeIfAbandoned(base: string, name: string): Slot | null {
  const folder = join(base, name);
  const index = Number(name.match(/\d+/)?.[0]);
  try {
    const owner = readFileSync(join(folder, OWNER), 'utf8');
    if (processMark(Number(owner.split(':')[0])) === owner) return null;
    const taken = join(base, `reaping-${index}-${process.pid}-${randomInt(2 ** 40)}`);
    renameSync(folder, taken);
    writeFileSync(join(taken, OWNER), processMark(process.pid) ?? '');
    return { ...slotAt(base, index), folder: taken };
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

/** Removes a folder even where a program closed parts of it to their owner. */
function removeTree(path: string): void {
  if (process.getuid?.() !== 0) openFolders(path);
  rmSync(path, { recursive: true, force: true });
}

function openFolders(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}
