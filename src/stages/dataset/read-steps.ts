import type { SessionEvent } from '../session/event.ts';
import type { EpisodeStep } from './episode.ts';

type Draft = { -readonly [Field in keyof EpisodeStep]: EpisodeStep[Field] };

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The steps of a log, from the events that tell of them. What a harness reported is taken as it says it. One pass; bad shapes become empty ones. */
export function readSteps(events: Iterable<SessionEvent>): readonly EpisodeStep[] {
  const steps = new Map<number, Draft>();
  for (const event of events) {
    if (event.step === null) continue;
    const known = steps.get(event.step);
    if (event.type === 'step.began') steps.set(event.step, begun(event, event.step));
    else if (event.type === 'step.reported') steps.set(event.step, reported(event, event.step));
    else if (known !== undefined && event.type === 'step.ended') end(known, event);
    else if (known !== undefined && event.type === 'step.void') known.observation = { ...NOTHING, status: 'void' };
  }
  return [...steps.values()];
}

const NOTHING: EpisodeStep['observation'] = { status: 'open', exitCode: null, text: '', outputs: [], error: null };

function begun({ at, messageId, detail }: SessionEvent, step: number): Draft {
  const { environment, action, parameters } = detail;
  return {
    ...{ step, at: at.toISOString(), messageId, observation: NOTHING, wallMs: null, mark: null },
    action: { environment: nameOf(environment), action: nameOf(action), parameters: recordOf(parameters) },
    tokens: numberOf(detail.tokens),
  };
}

function end(draft: Draft, { outcome, detail }: SessionEvent): void {
  const outputs = Array.isArray(detail.outputs) ? detail.outputs.map(outputOf) : [];
  const data = recordOf(detail.data);
  const error = recordOf(detail.error).message;
  draft.observation = {
    ...{ status: outcome, exitCode: numberOf(data.exit_code), text: '', outputs },
    error: typeof error === 'string' ? error : null,
  };
  draft.wallMs = numberOf(detail.wall_ms);
}

function outputOf(value: unknown): EpisodeStep['observation']['outputs'][number] {
  const { name, bytes, sha256 } = recordOf(value);
  return { name: nameOf(name), bytes: numberOf(bytes) ?? 0, sha256: typeof sha256 === 'string' ? sha256 : null };
}

/** A harness tells actions as ours, or in any shape of its own. */
function reported({ at, messageId, detail }: SessionEvent, step: number): Draft {
  const [said, seen] = [recordOf(detail.action), recordOf(detail.observation)];
  const isOurs = typeof said.environment === 'string' && typeof said.action === 'string';
  const action = isOurs
    ? { environment: nameOf(said.environment), action: nameOf(said.action), parameters: recordOf(said.parameters) }
    : { environment: 'reported', action: 'act', parameters: said };
  const exitCode = numberOf(seen.exit_code) ?? numberOf(recordOf(seen.data).exit_code);
  return {
    ...{ step, at: at.toISOString(), messageId, action, wallMs: null },
    observation: { ...NOTHING, status: 'reported', exitCode, text: textOf(seen) },
    tokens: numberOf(said.tokens) ?? numberOf(seen.tokens),
    mark: markOf(said, seen),
  };
}

const MOST_MARK_CHARS = 2_000;

/** A user's turn is an action whose `role` is `user`; a task or a milestone has its name in a field of that name. */
function markOf(said: Readonly<Record<string, unknown>>, seen: Readonly<Record<string, unknown>>): EpisodeStep['mark'] {
  const mark = (kind: NonNullable<EpisodeStep['mark']>['kind'], value: unknown) => ({
    ...{ kind, text: typeof value === 'string' ? value.slice(0, MOST_MARK_CHARS) : '' },
  });
  if (said.role === 'user') return mark('user-turn', said.content ?? said.text);
  if (typeof said.task === 'string') return mark('task', said.task);
  return typeof seen.milestone === 'string' ? mark('milestone', seen.milestone) : null;
}

/** What a reported observation shows: its one text, or all of it as JSON. */
function textOf(seen: Readonly<Record<string, unknown>>): string {
  for (const field of ['content', 'output', 'text', 'stdout']) {
    const value = seen[field];
    if (typeof value === 'string') return value;
  }
  return Object.keys(seen).length === 0 ? '' : JSON.stringify(seen);
}

function nameOf(value: unknown): string {
  return typeof value === 'string' && NAME.test(value) ? value : 'other';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
