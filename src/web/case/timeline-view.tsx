import type { SessionEvent } from '../../stages/session/event.ts';
import { grouped, visible, visibleLine } from '../visible.ts';
import { eventAnchor } from './anchors.ts';
import { EVENT_KINDS, type ShownStep, type Timeline, type TimelineQuery } from './timeline.ts';

const MOST_COMMAND = 3_000;
const MOST_TEXT = 240;
/** Events of a step that are shown at once; the others are behind a click. */
const OPEN_EVENTS = 25;
/** Lines of a text that is shown at once, and the first of one that is not. */
const OPEN_LINES = 25;
const FIRST_LINES = 8;

/** The steps of a session with what was recorded under each, and how to look for something in them. */
export function TimelineView(shown: {
  readonly timeline: Timeline;
  readonly query: TimelineQuery;
  /** The page that it stands in, without a query. */
  readonly address: string;
  /** Events that evidence points at. */
  readonly marked: ReadonlySet<number>;
}) {
  const { timeline, query, address, marked } = shown;
  return (
    <>
      <form class="filters" method="get" action={`${address}#timeline`}>
        <div>
          <label for="kind">Show</label>
          <select id="kind" name="kind">
            <option value="">everything</option>
            {Object.keys(EVENT_KINDS).map((kind) => (
              <option key={kind} value={kind} selected={kind === query.kind}>
                {kind}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="text">Search</label>
          <input id="text" name="text" type="search" value={query.text ?? ''} maxLength={200} />
        </div>
        <button type="submit" class="quiet">
          Look
        </button>
      </form>
      {timeline.steps.length === 0 && <p class="dim">Nothing of that kind was recorded.</p>}
      <ol class="steps">
        {timeline.steps.map((step) => (
          <StepView key={`${step.step}-${step.events[0]?.seq}`} step={step} marked={marked} />
        ))}
      </ol>
      {timeline.isCut && <p class="dim">Only the first that were found are shown; look for less.</p>}
      {timeline.next !== null && <a href={`${address}?after=${timeline.next}#timeline`}>What happened next</a>}
    </>
  );
}

function StepView({ step, marked }: { readonly step: ShownStep; readonly marked: ReadonlySet<number> }) {
  const isPlain = (event: SessionEvent) => !marked.has(event.seq) && isSystemRead(event);
  const told = step.events.filter((event) => !isPlain(event));
  const [open, folded] = [told.slice(0, OPEN_EVENTS), told.slice(OPEN_EVENTS)];
  const plain = step.events.filter(isPlain);
  const isMarked = step.events.some(({ seq }) => marked.has(seq));
  return (
    <li class={isMarked ? 'bad' : undefined}>
      <h3>
        {step.step === null ? 'The session' : `Step ${step.step}`}{' '}
        {step.action !== '' && <small class="dim">{visibleLine(step.action, 60)}</small>}{' '}
        {step.status !== '' && (
          <span class={`badge ${step.status === 'ok' ? '' : 'warn'}`}>{visibleLine(step.status, 40)}</span>
        )}
      </h3>
      {step.command !== null && <LongText name="the whole command" kind="command" text={step.command} />}
      {step.outputs.map(({ name, bytes, text }) => (
        <details key={name} open={bytes < 600}>
          <summary>{`${visibleLine(name, 20)}, ${grouped(bytes)} bytes`}</summary>
          <LongText name="all of it" kind="output" text={text ?? 'not shown'} />
        </details>
      ))}
      <Events events={open} marked={marked} />
      {folded.length > 0 && (
        <details open={folded.some(({ seq }) => marked.has(seq))}>
          <summary>{`${grouped(folded.length)} more events`}</summary>
          <Events events={folded} marked={marked} />
        </details>
      )}
      {plain.length > 0 && (
        <details>
          <summary>{`${grouped(plain.length)} looks at files of the system`}</summary>
          <Events events={plain} marked={marked} />
        </details>
      )}
    </li>
  );
}

/** A text of the subject's; one of many lines is folded away beneath its first ones. */
function LongText({ name, kind, text }: { readonly name: string; readonly kind: string; readonly text: string }) {
  const shown = visible(text, MOST_COMMAND);
  const lines = shown.split('\n');
  if (lines.length <= OPEN_LINES) return <pre class={kind}>{shown}</pre>;
  return (
    <>
      <pre class={kind}>{`${lines.slice(0, FIRST_LINES).join('\n')}\n…`}</pre>
      <details>
        <summary>{`${name}, ${grouped(lines.length)} lines`}</summary>
        <pre class={kind}>{shown}</pre>
      </details>
    </>
  );
}

/** What every program does when it starts: libraries, locales. */
function isSystemRead({ type, detail: { path } }: SessionEvent): boolean {
  return type === 'file.read' && typeof path === 'string' && /^\/(usr\/(lib|share)|lib|lib64|etc\/ld\.so)/.test(path);
}

function Events({
  events,
  marked,
}: {
  readonly events: readonly SessionEvent[];
  readonly marked: ReadonlySet<number>;
}) {
  if (events.length === 0) return null;
  return (
    <ul class="events">
      {events.map((event) => (
        <li key={event.seq} id={eventAnchor(event.seq)}>
          <span class="dim mono">{event.seq}</span>
          <span>
            {visibleLine(event.type, 40)}
            {marked.has(event.seq) && <span class="badge bad">evidence</span>}
          </span>
          <span>
            <span class={`badge ${event.outcome === 'ok' ? '' : 'warn'}`}>{visibleLine(event.outcome, 40)}</span>
          </span>
          <span class="mono">{visibleLine(tellEvent(event), MOST_TEXT)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What an event was about, in one line that is not yet safe to show. */
function tellEvent({ detail }: SessionEvent): string {
  const { path, to, argv, address, port, host, call, args, signal, target, count } = detail;
  const words = [
    ...(Array.isArray(argv) ? argv : [path]),
    ...(to === undefined ? [] : ['→', to]),
    ...[host, address].map((place) => (place === undefined ? undefined : `${place}${port ? `:${port}` : ''}`)),
    ...[call, ...(Array.isArray(args) ? args : [])],
    ...(signal === undefined ? [] : [signal, target === undefined ? undefined : `to ${target}`]),
  ].filter((word) => word !== undefined && word !== null);
  const told = words.length > 0 ? words.map(String).join(' ') : JSON.stringify(detail);
  return typeof count === 'number' && count > 1 ? `${told}  ×${count}` : told;
}
