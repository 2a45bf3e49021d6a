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
  /** What was noted of it when it was claimed; null: nothing. */
  readonly note: string | null;
}

/** Slots as folders below the state folder; making the folder is the claim, so two services never share one. */
export interface Slots {
  claim(): Slot;
  release(slot: Slot): void;
  /** Lets a slot outlive its service: for {@link KEEP_MS} from now nobody clears it away. */
  keep(slot: Slot): void;
  /** Takes over a slot that was kept and whose process is gone, or that this process has left. */
  adopt(slot: Slot): 'taken' | 'held' | 'gone';
  /** Slots whose service is dead; they are this service's now, to be cleared and released. */
  takeAbandoned(): readonly Slot[];
  /**
   * Says until when a slot's programs may run, in milliseconds of this machine's uptime: whoever clears away holds them to it. Null:
   * as long as they like, while nothing runs or something is being started.
   */
  setDeadline(slot: Slot, untilMs: number | null): void;
  /** Slots in use, whoever has them, whose deadline passed at least `graceMs` ago: each is looked at when it is asked for. */
  overdue(graceMs: number): Iterable<Slot>;
}

/** Holds the mark of the process that has a slot; its time of change is the slot's deadline. */
const OWNER = 'owner';

/** Its time of change is until when a slot is kept for somebody who takes it over. */
const KEPT = 'kept';
/** How long a kept slot is left alone. */
export const KEEP_MS = 120_000;

/** Holds a slot's note. */
const NOTE = 'note';

/** As new files have it: no machine is up for so long. */
const NEVER_SECONDS = 2 ** 31;

/** The clock of deadlines: the same for all processes of this machine, and nobody sets it. */
export const uptimeMs = () => uptime() * 1_000;

/** `note` is kept with every slot that is claimed here. */
export function openSlots(stateFolder: string, note: string | null): Slots {
  const base = join(stateFolder, 'slots');
  mkdirSync(base, { recursive: true, mode: 0o711 });
  chmodSync(base, 0o711); // whatever the umask
  let next = randomInt(SLOT_COUNT); // so that all services do not meet at the same slots
  return {
    claim() {
      for (let tried = 0; tried < SLOT_COUNT; tried++) {
        const slot = slotAt(base, next);
        next = (next + 1) % SLOT_COUNT;
        if (tryClaim(base, slot, note)) return { ...slot, note };
      }
      throw new ProctorError('sandbox-failed', `all ${SLOT_COUNT} sandbox slots of this machine are in use`);
    },
    release: (slot) => removeTree(slot.folder),
    keep,
    adopt,
    takeAbandoned: () =>
      readdirSync(base)
        .filter((name) => /^(\d+|reaping-\d+-.*)$/.test(name))
        .map((name) => takeIfAbandoned(base, name))
        .filter((slot) => slot !== null),
    setDeadline(slot, untilMs) {
      const seconds = untilMs === null ? NEVER_SECONDS : untilMs / 1_000;
      utimesSync(join(slot.folder, OWNER), seconds, seconds);
    },
    *overdue(graceMs) {
      for (const name of readdirSync(base).filter((entry) => /^\d+$/.test(entry))) {
        const slot = slotAt(base, Number(name));
        const deadlineMs = statSync(join(slot.folder, OWNER), { throwIfNoEntry: false })?.mtimeMs;
        if (deadlineMs !== undefined && deadlineMs + graceMs < uptimeMs()) yield noted(slot);
      }
    },
  };
}

function keep(slot: Slot): void {
  const path = join(slot.folder, KEPT);
  if (!existsSync(path)) writeFileSync(path, '');
  const seconds = (uptimeMs() + KEEP_MS) / 1_000;
  utimesSync(path, seconds, seconds);
}

function adopt(slot: Slot): 'taken' | 'held' | 'gone' {
  if (!existsSync(slot.folder)) return 'gone';
  const path = join(slot.folder, OWNER);
  const owner = readFileSync(path, 'utf8');
  const own = processMark(process.pid);
  if (owner !== own && processMark(Number(owner.split(':')[0])) === owner) return 'held';
  const { mtime } = statSync(path);
  const fresh = `${path}-after-${owner}`; // of several who take it from the same one, the first makes this
  try {
    writeFileSync(fresh, own ?? '', { flag: 'wx' });
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return 'held';
    throw thrown;
  }
  utimesSync(fresh, mtime, mtime); // its deadline stays
  renameSync(fresh, path);
  return 'taken';
}

function slotAt(base: string, index: number): Slot {
  return { name: `slot-${index}`, uid: FIRST_UID + index, folder: join(base, String(index)), note: null };
}

function noted(slot: Slot): Slot {
  try {
    return { ...slot, note: readFileSync(join(slot.folder, NOTE), 'utf8') };
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return slot; // it has none, or is given back just now
  }
}

/** A slot appears whole, with its owner, by a rename; the second who tries finds it there. */
function tryClaim(base: string, slot: Slot, note: string | null): boolean {
  if (existsSync(slot.folder)) return false;
  const fresh = mkdtempSync(join(base, 'claiming-'));
  try {
    writeFileSync(join(fresh, OWNER), processMark(process.pid) ?? '');
    if (note !== null) writeFileSync(join(fresh, NOTE), note);
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
    if (processMark(Number(owner.split(':')[0])) === owner || isKept(folder)) return null;
    const taken = join(base, `reaping-${index}-${process.pid}-${randomInt(2 ** 40)}`);
    renameSync(folder, taken);
    writeFileSync(join(taken, OWNER), processMark(process.pid) ?? '');
    return noted({ ...slotAt(base, index), folder: taken });
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

function isKept(folder: string): boolean {
  const kept = statSync(join(folder, KEPT), { throwIfNoEntry: false });
  return kept !== undefined && kept.mtimeMs > uptimeMs();
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
