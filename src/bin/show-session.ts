import type { SessionEvent } from '../stages/session/event.ts';
import type { SessionRow } from '../stages/session/session.ts';
import type { StoredEnd } from '../stages/session/session-store.ts';
import { dim, green, onScreen, red, table, yellow } from './output.ts';

interface Shown {
  readonly session: SessionRow;
  readonly end: StoredEnd | null;
  readonly events: readonly SessionEvent[];
  /** See `firstBroken`. */
  readonly broken: number | null;
  readonly everyEvent: boolean;
}

/** Prints a session for people. */
export function printSession({ session, end, events, broken, everyEvent }: Shown): void {
  const { id, origin, body, createdAt } = session;
  console.log(`session    ${id}  ${origin}  opened ${createdAt.toISOString()}`);
  console.log(
    `workspace  ${body.driver ?? '-'}  snapshot ${body.snapshot?.name ?? '-'}  recorder ${body.recorder.backend}`,
  );
  console.log(`outcome    ${outcomeOf(end)}`);
  const holds = `${events.length} events, each bound to the one before`;
  console.log(broken === null ? `log        ${green(holds)}` : `log        ${red(`broken at event ${broken}`)}`);
  const startMs = createdAt.getTime();
  if (everyEvent) console.log(`\n${table(events.map((event) => eventRow(event, startMs)))}`);
  else for (const step of stepsOf(events)) printStep(step, startMs);
}

function outcomeOf(end: StoredEnd | null): string {
  if (end === null) return yellow('open');
  const { outcome, fault, reason, steps } = end.body;
  const why = reason === null ? '' : `: ${onScreen(reason)}`;
  const handed = end.artifactId === null ? 'nothing handed in' : `handed in as ${end.artifactId}`;
  return `${outcome === 'finished' ? green(outcome) : yellow(outcome)}${why}  fault ${fault}  ${steps} steps  ${handed}`;
}

/** Events by step, in order; those of no step are left out. */
function stepsOf(events: readonly SessionEvent[]): readonly (readonly SessionEvent[])[] {
  const steps = new Map<number, SessionEvent[]>();
  for (const event of events) {
    if (event.step === null) continue;
    steps.set(event.step, [...(steps.get(event.step) ?? []), event]);
  }
  return [...steps.entries()].sort(([one], [other]) => one - other).map(([, own]) => own);
}

function printStep(events: readonly SessionEvent[], startMs: number): void {
  const began = events.find(({ type }) => type === 'step.began' || type === 'step.reported');
  const ended = events.find(({ type }) => type === 'step.ended' || type === 'step.void');
  const at = (((began ?? events[0])?.at.getTime() ?? startMs) - startMs) / 1000;
  const wall = ended?.detail.wall_ms === undefined ? '' : `  ${String(ended.detail.wall_ms)} ms`;
  const status = ended?.outcome ?? began?.outcome ?? 'not ended';
  const colour = status === 'ok' ? green : yellow;
  console.log(`\nstep ${began?.step}  +${at.toFixed(1)} s${wall}  ${colour(onScreen(status))}`);
  console.log(`  ${onScreen(JSON.stringify(began?.detail ?? {})).slice(0, 300)}`);
  for (const [word, count] of countsOf(events)) console.log(dim(`  ${word}${count > 1 ? `  × ${count}` : ''}`));
}

/** What was recorded, in words, the most telling first. */
function countsOf(events: readonly SessionEvent[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const event of events.filter(isTelling)) {
    const { path, argv, address, port, call, host, target, complete } = event.detail;
    const what = argv === undefined ? (path ?? host ?? address ?? call ?? target ?? complete ?? '') : argv;
    const place = port === undefined || port === null ? '' : `:${String(port)}`;
    const text = typeof what === 'string' ? what : JSON.stringify(what);
    const outcome = event.outcome === 'ok' ? '' : `  ${event.outcome}`;
    const word = `${event.type}  ${onScreen(`${text}${place}`).slice(0, 160)}${onScreen(outcome)}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts.entries()];
}

const QUIET = ['step.began', 'step.ended', 'file.read', 'process.ended'];

/** Reads of a program's own libraries are not told; what was refused always is. */
function isTelling({ type, outcome }: SessionEvent): boolean {
  return !QUIET.includes(type) || ['EACCES', 'EPERM', 'EROFS'].includes(outcome);
}

function eventRow({ seq, step, at, type, outcome, detail }: SessionEvent, startMs: number): readonly string[] {
  const seconds = ((at.getTime() - startMs) / 1000).toFixed(3);
  const said = onScreen(JSON.stringify(detail)).slice(0, 200);
  return [String(seq), step === null ? '-' : String(step), `+${seconds}`, type, onScreen(outcome), said];
}
