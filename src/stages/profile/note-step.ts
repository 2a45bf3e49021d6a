import type { SessionEvent } from '../session/event.ts';
import type { LogSums } from './log-sums.ts';
import { type CommandNotes, noteCode, noteCommand } from './note-command.ts';

/** What of actions on files is reading and what writing. */
const FILE_ACTIONS: Readonly<Record<string, 'read' | 'write'>> = {
  ...({ read: 'read', list: 'read', write: 'write', patch: 'write', remove: 'write' } as const),
};

/** Notes what the service itself says of steps; false of what is none of its events. */
export function noteStep(notes: CommandNotes, log: LogSums, event: SessionEvent): boolean {
  switch (event.type) {
    case 'step.began':
      noteBegin(notes, log, event);
      return true;
    case 'step.ended':
      noteEnd(notes, log, event);
      return true;
    default:
      return false;
  }
}

function noteBegin(notes: CommandNotes, log: LogSums, { seq, step, detail }: SessionEvent): void {
  log.steps++;
  notes.tally.add('steps', 1, 0);
  const action = `${textOf(detail.environment)}.${textOf(detail.action)}`;
  const parameters = recordOf(detail.parameters);
  const number = step ?? log.steps;
  const command = parameters.command;
  if (typeof command === 'string') {
    noteCommand(notes, { text: command, at: seq, step: number });
    return;
  }
  noteAction(notes, { action, parameters, at: seq, step: number });
}

interface NotedAction {
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly at: number;
  readonly step: number;
}

/** An action that is no command: on a file, or of an environment that is not known here. */
function noteAction({ tally, sums, kindOf }: CommandNotes, { action, parameters, at, step }: NotedAction): void {
  const path = parameters.path;
  const does = FILE_ACTIONS[action.slice(action.indexOf('.') + 1)];
  const kind = action.startsWith('files.') && does !== undefined ? does : 'execute';
  const object = typeof path === 'string' ? (kindOf(path).isTest ? 't' : 'w') : '-';
  tally.action(`${action.slice(0, 80)}:${object}`, at);
  sums.byKind[kind]++;
  sums.kinds.set(action, (sums.kinds.get(action) ?? 0) + 1);
  if (kind !== 'write') return;
  sums.firstWrite ??= step;
  const code = textOf(parameters.content ?? parameters.with);
  tally.add('bytes_written', code.length, at);
  if (code !== '') noteCode({ tally, sums }, code, at);
}

function noteEnd({ tally }: CommandNotes, log: LogSums, { seq, at, outcome, detail }: SessionEvent): void {
  log.lastStepEndMs = Math.max(log.lastStepEndMs, at.getTime());
  const wallMs = numberOf(detail.wall_ms);
  if (wallMs !== null) tally.add('wall_ms', wallMs, seq);
  const outputs = detail.outputs;
  if (Array.isArray(outputs)) {
    for (const output of outputs) tally.add('bytes_shown', numberOf(recordOf(output).bytes) ?? 0, seq);
  }
  if (outcome !== 'ok') tally.add('failed_exits', 1, seq);
  const data = recordOf(detail.data);
  const code = data.exit_code;
  if (code === 126 || code === 127) tally.add('refused_exits', 1, seq);
  const cpuMs = numberOf(data.cpu_ms);
  if (cpuMs !== null) tally.add('cpu_ms', cpuMs, seq);
  const peakBytes = numberOf(data.memory_peak_bytes);
  if (peakBytes !== null) tally.most('memory_peak_bytes', peakBytes, seq);
}

/** A nested object of a log's detail; an empty one for anything else. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A text of a log's detail; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number of a log's detail that can be counted with; null for anything else. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? value : null;
}
