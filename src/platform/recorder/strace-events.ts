import { fileEvent } from './file-events.ts';
import { networkEvents } from './network-events.ts';
import { executionEvent, refusalEvent, signalEvent } from './process-events.ts';
import type { RecordedEvent } from './recorded-event.ts';
import type { StraceCall } from './strace-call.ts';
import type { WorkingFolders } from './working-folders.ts';

const EXECUTIONS = new Set(['execve', 'execveat']);
const SIGNALS = new Set(['kill', 'tkill', 'tgkill']);
const NETWORK = new Set(['connect', 'bind', 'sendto', 'sendmsg', 'sendmmsg']);

/** What one finished call means; most calls are one event, some none. `folders` learns from the call first. */
export function eventsOfCall(call: StraceCall, folders: WorkingFolders): readonly RecordedEvent[] {
  folders.learn(call);
  if (call.injected) return [refusalEvent(call)];
  if (EXECUTIONS.has(call.name)) return [executionEvent(call, folders)];
  if (SIGNALS.has(call.name)) return [signalEvent(call)];
  if (NETWORK.has(call.name)) return networkEvents(call);
  const event = fileEvent(call, folders);
  return event === null ? [] : [event];
}
