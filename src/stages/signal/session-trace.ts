import type { SessionEvent } from '../session/event.ts';
import { WORK_FOLDER } from '../session/session.ts';
import type { Haystack } from './leaks/leak.ts';

/** Types of events that detectors read, in groups of which none can crowd out another; the rest of a log is for profiles and people. */
export const TRACED_EVENTS = [
  ['step.began', 'step.reported'],
  ['egress.attempt', 'network.sent'],
  ['process.executed'],
  ['file.read'],
  ['rule.enforced'],
] as const;

/** The session in which an artifact was made, as far as detectors read it. */
export interface SessionTrace {
  readonly sessionId: string;
  readonly events: readonly SessionEvent[];
  /** There were more events than were read. */
  readonly cut: boolean;
}

/** What the agent itself wrote in each step, to be searched as files are. What programs answered is not its word. */
export function saidInSession({ events }: SessionTrace): readonly Haystack[] {
  return events.flatMap(({ type, step, seq, detail }) => {
    const said = type === 'step.began' ? detail.parameters : type === 'step.reported' ? detail.action : undefined;
    if (said === undefined) return [];
    return [{ name: placeOf({ step, seq }), bytes: Buffer.from(JSON.stringify(said)) }];
  });
}

/** What the agent's programs sent out. */
export function sentInSession({ events }: SessionTrace): readonly Haystack[] {
  return events
    .filter(({ type }) => type === 'egress.attempt' || type === 'network.sent')
    .map(({ step, seq, detail }) => ({ name: placeOf({ step, seq }), bytes: Buffer.from(JSON.stringify(detail)) }));
}

/** Where a person can see an event. */
export function placeOf({ step, seq }: Pick<SessionEvent, 'step' | 'seq'>): string {
  return `session/${step === null ? '' : `step ${step}, `}event ${seq}`;
}

/** The path of a file beneath the workspace that an event names, or null. */
export function workPathOf({ detail }: SessionEvent): string | null {
  const { path } = detail;
  return typeof path === 'string' && path.startsWith(`${WORK_FOLDER}/`) ? path.slice(WORK_FOLDER.length + 1) : null;
}
