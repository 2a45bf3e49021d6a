import { fileEvent } from './file-events.ts';
import { networkEvents } from './network-events.ts';
import { executionEvent, refusalEvent, signalEvent } from './process-events.ts';
import type { RecordedEvent } from './recorded-event.ts';
import type { StraceCall } from './strace-call.ts';
import type { WorkingFolders } from './working-folders.ts';

const EXECUTIONS = new Set(['execve', 'execveat']);
const NETWORK = new Set(['connect', 'bind', 'sendto', 'sendmsg', 'sendmmsg']);

/** Whether the call has replaced the process's program. */
export function hasExecuted({ name, outcome }: StraceCall): boolean {
  return outcome === 'ok' && EXECUTIONS.has(name);
}

/** What one finished call means; most calls are one event, some none. `folders` learns from the call first. */
export function eventsOfCall(call: StraceCall, folders: WorkingFolders): readonly RecordedEvent[] {
  // its process was killed before the call ran: strace could not even ask for the arguments
  if (call.outcome === 'unfinished' && call.args.length === 0) return [];
  folders.learn(call);
  if (call.injected) return [refusalEvent(call)];
  if (EXECUTIONS.has(call.name)) return [executionEvent(call, folders)];
  if (NETWORK.has(call.name)) return networkEvents(call);
  const event = signalEvent(call) ?? fileEvent(call, folders);
  return event === null ? [] : [event];
}
