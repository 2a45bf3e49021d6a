import { digestSchema } from '../../platform/base/digest.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { SessionEvent } from '../../stages/session/event.ts';
import { listEvents, listTyped } from '../../stages/session/session-store.ts';

/** What a reviewer may look for in a log, and the types of events that it means. */
export const EVENT_KINDS = {
  commands: ['step.began', 'step.ended', 'step.void', 'step.reported', 'process.executed'],
  files: [
    'file.read',
    'file.written',
    'file.removed',
    'file.renamed',
    'file.linked',
    'file.changed',
    'file.accessed',
    'folder.made',
  ],
  network: [
    'network.connect',
    'network.bind',
    'network.sent',
    'egress.attempt',
    'egress.direct',
    'egress.cut',
    'egress.blocked',
  ],
  processes: ['process.executed', 'process.ended', 'signal.sent', 'call.refused'],
} as const satisfies Record<string, readonly string[]>;
export type EventKind = keyof typeof EVENT_KINDS;

/** Events of one page. */
const WINDOW_EVENTS = 600;
/** Events that a search looks through. */
const SEARCHED_EVENTS = 10_000;
/** Output of a step that is shown. */
const MOST_OUTPUT = 3_000;
/** Outputs that are read for a page, and the largest of them. */
const MOST_OUTPUTS = 40;
const LARGEST_OUTPUT_BYTES = 1_048_576;

/** What to look at. */
export interface TimelineQuery {
  readonly kind?: EventKind | undefined;
  readonly text?: string | undefined;
  /** From the page before, or shortly before an event to look at. */
  readonly after: number;
}

/** One step with what was recorded of it. */
export interface ShownStep {
  /** Null: events of the session itself. */
  readonly step: number | null;
  /** What the agent asked for, as text; null where that event is on another page. */
  readonly command: string | null;
  readonly action: string;
  readonly status: string;
  readonly outputs: readonly { readonly name: string; readonly bytes: number; readonly text: string | null }[];
  /** Without the beginning and the end of the step. */
  readonly events: readonly SessionEvent[];
}

/** A part of a session's log. */
export interface Timeline {
  readonly steps: readonly ShownStep[];
  /** Where the next page begins; null: this is the last. */
  readonly next: number | null;
  /** A search that did not reach the end of the log. */
  readonly isCut: boolean;
}

/** Reads what a page shows of a session. Bounded, whatever the log holds. */
export async function readTimeline(
  { database, blobs }: { readonly database: Queryable; readonly blobs: Blobs },
  sessionId: string,
  query: TimelineQuery,
): Promise<Timeline> {
  const isSearch = query.kind !== undefined || (query.text ?? '') !== '';
  const found = isSearch
    ? await searched(database, sessionId, query)
    : await listEvents(database, sessionId, { after: query.after, limit: WINDOW_EVENTS });
  const events = found.slice(0, WINDOW_EVENTS);
  const steps = await Promise.all(stepsOf(events).map(withOutputs(blobs)));
  const isFull = found.length >= WINDOW_EVENTS;
  return { steps, next: isFull && !isSearch ? (events.at(-1)?.seq ?? null) : null, isCut: isFull && isSearch };
}

async function searched(
  database: Queryable,
  sessionId: string,
  { kind, text = '' }: TimelineQuery,
): Promise<readonly SessionEvent[]> {
  const types = kind === undefined ? Object.values(EVENT_KINDS).flat() : EVENT_KINDS[kind];
  const events = await listTyped(database, sessionId, { types, limit: SEARCHED_EVENTS });
  const wanted = text.toLowerCase();
  if (wanted === '') return events;
  return events.filter(({ type, outcome, detail }) =>
    `${type} ${outcome} ${JSON.stringify(detail)}`.toLowerCase().includes(wanted),
  );
}

interface OpenStep extends Omit<ShownStep, 'outputs'> {
  readonly kept: readonly { readonly name: string; readonly bytes: number; readonly sha256: string | null }[];
  /** What a harness says that the agent saw; null: it was recorded instead. */
  readonly told: string | null;
}

function stepsOf(events: readonly SessionEvent[]): readonly OpenStep[] {
  const steps: { step: number | null; events: SessionEvent[] }[] = [];
  for (const event of events) {
    const last = steps.at(-1);
    if (last !== undefined && last.step === event.step) last.events.push(event);
    else steps.push({ step: event.step, events: [event] });
  }
  return steps.map(({ step, events: all }) => {
    const began = all.find(({ type }) => type === 'step.began' || type === 'step.reported');
    const ended = all.find(({ type }) => type === 'step.ended' || type === 'step.void');
    return {
      ...{ step, command: began === undefined ? null : commandOf(began) },
      action: began === undefined ? '' : actionOf(began),
      status: ended?.outcome ?? '',
      kept: keptOf(ended),
      told: began?.type === 'step.reported' ? JSON.stringify(began.detail.observation ?? null, null, 1) : null,
      events: all.filter((event) => event !== began && event !== ended),
    };
  });
}

function actionOf({ type, detail }: SessionEvent): string {
  return type === 'step.reported' ? 'reported' : `${String(detail.environment)} ${String(detail.action)}`;
}

/** The command of a shell, else all parameters. */
function commandOf({ detail }: SessionEvent): string {
  const { parameters = detail.action ?? detail } = detail;
  if (typeof parameters === 'object' && parameters !== null && 'command' in parameters) {
    if (typeof parameters.command === 'string') return parameters.command;
  }
  return JSON.stringify(parameters, null, 1);
}

function keptOf(ended: SessionEvent | undefined): OpenStep['kept'] {
  const { outputs } = ended?.detail ?? {};
  if (!Array.isArray(outputs)) return [];
  return outputs.slice(0, 3).map((output: Readonly<Record<string, unknown>>) => ({
    name: String(output.name),
    bytes: Number(output.bytes),
    sha256: typeof output.sha256 === 'string' ? output.sha256 : null,
  }));
}

function withOutputs(blobs: Blobs): (step: OpenStep) => Promise<ShownStep> {
  let read = 0;
  return async ({ kept, told, ...step }) => {
    const outputs: { name: string; bytes: number; text: string | null }[] =
      told === null ? [] : [{ name: 'as reported', bytes: told.length, text: told.slice(0, MOST_OUTPUT) }];
    for (const { name, bytes, sha256 } of kept) {
      if (bytes === 0) continue;
      const digest = digestSchema.safeParse(sha256);
      const isRead = digest.success && bytes <= LARGEST_OUTPUT_BYTES && read++ < MOST_OUTPUTS;
      const content = isRead ? await blobs.get(digest.data).catch(() => null) : null;
      outputs.push({ name, bytes, text: content === null ? null : content.toString('utf8').slice(0, MOST_OUTPUT) });
    }
    return { ...step, outputs };
  };
}
