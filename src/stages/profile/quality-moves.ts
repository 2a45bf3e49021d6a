import { createHash } from 'node:crypto';
import type { SessionEvent } from '../session/event.ts';
import { numberOf, recordOf, textOf } from './note-step.ts';
import type { Trajectory } from './trajectory.ts';

/** One step, as far as its worth is concerned. */
export interface Move {
  /** The action with all of its parameters, as a digest. */
  readonly action: string;
  /** Whether it wrote, removed or moved a file that stays; null: nobody saw. */
  readonly changed: boolean | null;
  /** Bytes that it showed; null: not known. */
  readonly shownBytes: number | null;
}

/** Steps that are looked at, and characters of one action. */
const MOST_MOVES = 5_000;
const MOST_CHARS = 65_536;
const CHANGES = new Set(['file.written', 'file.removed', 'file.renamed', 'file.linked', 'file.changed']);
/** Places that hold nothing. */
const NOWHERE = /^\/(?:dev|proc)\//;

/** A step while its events are read. */
interface Draft {
  readonly action: string;
  changed: boolean;
  isRecorded: boolean;
  shownBytes: number | null;
}

/** The steps of a recorded session. One pass; what no recorder saw is not known. */
export function movesOf(events: Iterable<SessionEvent>): readonly Move[] {
  const drafts = new Map<number, Draft>();
  for (const event of events) {
    if (event.step === null) continue;
    const draft = drafts.get(event.step);
    if (draft !== undefined) note(draft, event);
    else if (event.type === 'step.began' && drafts.size < MOST_MOVES) drafts.set(event.step, begun(event));
  }
  return [...drafts.values()].map(({ action, changed, isRecorded, shownBytes }) => ({
    ...{ action, shownBytes, changed: isRecorded || changed ? changed : null },
  }));
}

function begun({ detail }: SessionEvent): Draft {
  const action = digest(JSON.stringify([detail.environment, detail.action, detail.parameters]));
  return { action, changed: false, isRecorded: false, shownBytes: null };
}

function note(draft: Draft, { type, outcome, detail }: SessionEvent): void {
  if (type === 'step.ended') draft.shownBytes = shownBytesOf(detail.outputs);
  else if (type === 'step.recorded') draft.isRecorded = detail.backend !== 'none' && outcome !== 'incomplete';
  else if (CHANGES.has(type) && outcome === 'ok' && !NOWHERE.test(textOf(detail.path))) draft.changed = true;
}

/** The steps of a session that ran elsewhere: whether one changed anything is not known. */
export function movesOfTrajectory({ steps }: Trajectory): readonly Move[] {
  return steps.slice(0, MOST_MOVES).map(({ command, outputBytes }) => ({
    ...{ action: digest(command), changed: null, shownBytes: outputBytes ?? null },
  }));
}

function shownBytesOf(outputs: unknown): number | null {
  if (!Array.isArray(outputs)) return null;
  return outputs.reduce((sum: number, output) => sum + (numberOf(recordOf(output).bytes) ?? 0), 0);
}

function digest(text: string): string {
  return createHash('sha256').update(text.slice(0, MOST_CHARS)).digest('base64');
}
