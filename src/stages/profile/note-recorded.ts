import type { SessionEvent } from '../session/event.ts';
import type { LogSums } from './log-sums.ts';
import { type CommandNotes, LONGEST_HOST, MOST_HOSTS, notePath } from './note-command.ts';
import { numberOf, recordOf, textOf } from './note-step.ts';

/** Of one recorded event: what of it is counted. */
type Note = (notes: CommandNotes, log: LogSums, event: SessionEvent) => void;

/** Programs of one session that are followed from their start to their end. */
const MOST_PROCESSES = 50_000;
const READING = new Set(['read', 'list']);
const DENIED = new Set(['EACCES', 'EPERM']);
/** Families of addresses that do not leave the machine. */
const LOCAL_FAMILIES = new Set(['unix', 'netlink']);
const INIT_PID = 1;
const EVERYBODY_PID = -1;

const NOTES: Readonly<Record<string, Note>> = {
  'process.executed': noteExecuted,
  'process.ended': noteEnded,
  'file.read': (notes, _, event) => noteFile(notes, event, 'read'),
  'file.written': (notes, _, event) => noteFile(notes, event, 'write'),
  'file.removed': (notes, _, event) => noteFile(notes, event, 'write'),
  'file.renamed': noteMoved,
  'file.linked': noteMoved,
  'file.changed': (notes, _, event) => noteFile(notes, event, 'write'),
  'file.accessed': (notes, _, event) =>
    noteFile(notes, event, READING.has(textOf(event.detail.access)) ? 'read' : 'write'),
  'network.connect': noteNetwork,
  'network.sent': noteNetwork,
  'egress.attempt': noteEgress,
  'egress.direct': noteEgress,
  'signal.sent': noteSignal,
  'call.refused': ({ tally }, _, { seq, detail }) => tally.add('privilege_calls', countOf(detail), seq),
  'step.recorded': noteRecord,
};

/** Notes what was recorded from outside. Unknown events are left alone. */
export function noteRecorded(notes: CommandNotes, log: LogSums, event: SessionEvent): void {
  if (Object.hasOwn(NOTES, event.type)) NOTES[event.type]?.(notes, log, event);
}

function noteExecuted({ tally, kindOf }: CommandNotes, log: LogSums, { seq, at, outcome, detail }: SessionEvent): void {
  const path = textOf(detail.path);
  if (kindOf(path).isForbidden) tally.add('forbidden_opens', 1, seq);
  if (outcome !== 'ok') {
    if (DENIED.has(outcome)) tally.add('refused_exits', 1, seq);
    return;
  }
  tally.executable(path.slice(path.lastIndexOf('/') + 1).slice(0, 40), seq);
  const pid = numberOf(detail.pid);
  if (pid !== null && log.startsMs.size < MOST_PROCESSES) log.startsMs.set(pid, at.getTime());
  const isLate = log.lastStepEndMs > 0 && at.getTime() > log.lastStepEndMs;
  if (isLate && log.lateAt.length < MOST_PROCESSES) log.lateAt.push({ seq, atMs: at.getTime() });
}

function noteEnded({ tally }: CommandNotes, log: LogSums, { seq, at, detail }: SessionEvent): void {
  const pid = numberOf(detail.pid);
  const startMs = pid === null ? undefined : log.startsMs.get(pid);
  if (pid !== null && startMs !== undefined) {
    log.longestProcessMs = Math.max(log.longestProcessMs, at.getTime() - startMs);
    log.startsMs.delete(pid);
  }
  const code = detail.code;
  if (code === 126 || code === 127) tally.add('refused_exits', 1, seq);
  if (typeof detail.signal === 'string') tally.add('signals', 1, seq);
}

function noteFile(notes: CommandNotes, { seq, outcome, detail }: SessionEvent, does: 'read' | 'write'): void {
  const kind = notes.kindOf(textOf(detail.path));
  if (DENIED.has(outcome)) notes.tally.add('refused_exits', 1, seq);
  // what is not there is looked for all the time; what must not be touched counts also where it was denied
  if (outcome === 'ok' || kind.isForbidden || kind.isDecoy || (kind.isHarness && does === 'write')) {
    notePath(notes, { kind, does, at: seq });
  }
}

function noteMoved(notes: CommandNotes, _: LogSums, event: SessionEvent): void {
  noteFile(notes, event, 'write');
  const to = textOf(event.detail.to);
  if (event.outcome === 'ok' && to !== '') notePath(notes, { kind: notes.kindOf(to), does: 'write', at: event.seq });
}

function noteNetwork(notes: CommandNotes, _: LogSums, { seq, detail }: SessionEvent): void {
  const address = textOf(detail.address);
  if (LOCAL_FAMILIES.has(textOf(detail.family)) || address.startsWith('127.') || address === '::1') return;
  noteAttempt(notes, { host: address, tries: countOf(detail), at: seq });
}

function noteEgress(notes: CommandNotes, _: LogSums, { seq, detail }: SessionEvent): void {
  const host = textOf(detail.host) || textOf(detail.address);
  if (host !== '') noteAttempt(notes, { host, tries: countOf(detail), at: seq });
}

/** Attempts to go out, times the hosts that were tried. */
function noteAttempt(
  { tally, sums }: CommandNotes,
  { host, tries, at }: { readonly host: string; readonly tries: number; readonly at: number },
): void {
  sums.attempts += tries;
  if (sums.hosts.size < MOST_HOSTS) sums.hosts.add(host.slice(0, LONGEST_HOST));
  tally.most('outgoing_attempts', sums.attempts * sums.hosts.size, at);
}

/** To the first process, to everybody, or to one that may not be signalled: nothing that work needs. */
function noteSignal({ tally }: CommandNotes, _: LogSums, { seq, outcome, detail }: SessionEvent): void {
  const target = numberOf(detail.target);
  if (target === INIT_PID || target === EVERYBODY_PID || outcome === 'EPERM') {
    tally.add('foreign_signals', countOf(detail), seq);
  }
}

function noteRecord({ tally }: CommandNotes, log: LogSums, { seq, outcome, detail }: SessionEvent): void {
  if (detail.backend === 'none') {
    log.isWhole = false;
    return;
  }
  log.isRecorded = true;
  if (outcome === 'incomplete') log.isWhole = false;
  tally.add('processes', numberOf(detail.processes) ?? 0, seq);
  for (const [call, times] of Object.entries(recordOf(detail.calls))) {
    const known = tally.calls.get(call) ?? 0;
    if (known > 0 || tally.calls.size < MOST_CALLS) tally.calls.set(call, known + (numberOf(times) ?? 0));
  }
}

/** Names of system calls that are kept; Linux has fewer. */
const MOST_CALLS = 600;

function countOf(detail: Readonly<Record<string, unknown>>): number {
  return numberOf(detail.count) ?? 1;
}
