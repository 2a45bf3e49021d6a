import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, ProctorError } from '../../base/errors.ts';
import { processMark } from './process-mark.ts';

/** Outer uids of sandboxes: 61000 and up, one for each slot (outside Debian's ranges for users and services). */
const FIRST_UID = 61_000;
const SLOT_COUNT = 1_000;
/** A slot folder without an owner is a claim that was interrupted, once it is this old. */
const INTERRUPTED_MS = 10_000;

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
  /** Slots whose service is dead. */
  abandoned(): readonly Slot[];
}

export function openSlots(stateFolder: string): Slots {
  const base = join(stateFolder, 'slots');
  mkdirSync(base, { recursive: true, mode: 0o711 });
  const slotAt = (index: number): Slot => ({
    name: `slot-${index}`,
    uid: FIRST_UID + index,
    folder: join(base, String(index)),
  });
  let next = 0;
  return {
    claim() {
      for (let tried = 0; tried < SLOT_COUNT; tried++) {
        const slot = slotAt(next);
        next = (next + 1) % SLOT_COUNT;
        if (tryClaim(slot)) return slot;
      }
      throw new ProctorError('sandbox-failed', `all ${SLOT_COUNT} sandbox slots of this machine are in use`);
    },
    release: (slot) => rmSync(slot.folder, { recursive: true, force: true }),
    abandoned: () =>
      readdirSync(base)
        .filter((name) => /^\d+$/.test(name))
        .map((name) => slotAt(Number(name)))
        .filter(isAbandoned),
  };
}

function tryClaim(slot: Slot): boolean {
  try {
    mkdirSync(slot.folder, { mode: 0o711 });
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  writeFileSync(join(slot.folder, 'owner'), processMark(process.pid) ?? '');
  mkdirSync(join(slot.folder, 'work'), { mode: 0o711 });
  return true;
}

function isAbandoned(slot: Slot): boolean {
  try {
    const owner = readFileSync(join(slot.folder, 'owner'), 'utf8');
    return processMark(Number(owner.split(':')[0])) !== owner;
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') throw thrown;
    return isInterrupted(slot);
  }
}

function isInterrupted(slot: Slot): boolean {
  try {
    return Date.now() - statSync(slot.folder).mtimeMs > INTERRUPTED_MS;
  } catch {
    return false;
  }
}
