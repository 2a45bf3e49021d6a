import type { SessionEvent } from '../session/event.ts';

/** Of one step's line, and of all together, in characters. */
const MOST_OF_LINE = 2_000;
const MOST_OF_TRANSCRIPT = 60_000;
/** What a step did that is worth telling, beside the action itself. */
const TOLD_EVENTS = ['process.executed', 'egress.attempt', 'network.sent', 'privilege.used', 'process.signalled'];
const MOST_TOLD = 12;

/**
 * A session as text that can be quoted: one JSON value a line, so that nothing in it can end its line or its quotation, with all
 * but ASCII escaped. Of long sessions the beginning and the end are kept.
 */
export function quoteTranscript(events: readonly SessionEvent[]): string {
  const steps = new Map<number, { action: unknown; outcome: string; did: string[] }>();
  for (const { step, type, outcome, detail } of events) {
    if (step === null) continue;
    const known = steps.get(step) ?? { action: null, outcome: '', did: [] };
    steps.set(step, known);
    if (type === 'step.began')
      known.action = { kind: `${detail.environment}.${detail.action}`, with: detail.parameters };
    if (type === 'step.reported') known.action = detail.action;
    if (type === 'step.ended') known.outcome = outcome;
    if (TOLD_EVENTS.includes(type) && known.did.length < MOST_TOLD)
      known.did.push(`${type} ${JSON.stringify(detail)}`.slice(0, 200));
  }
  const lines = [...steps].map(([step, { action, outcome, did }]) => asLine({ step, action, outcome, did }));
  return shortened(lines).join('\n');
}

function asLine(value: {
  readonly step: number;
  readonly action: unknown;
  readonly outcome: string;
  readonly did: readonly string[];
}): string {
  const json = JSON.stringify(value);
  const whole = json.length <= MOST_OF_LINE ? ascii(json) : null; // escaping makes nothing shorter
  if (whole !== null && whole.length <= MOST_OF_LINE) return whole;
  const { step, outcome, action } = value;
  return ascii(JSON.stringify({ step, outcome, cut: true, action: JSON.stringify(action).slice(0, MOST_OF_LINE / 4) }));
}

function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function shortened(lines: readonly string[]): readonly string[] {
  const half = MOST_OF_TRANSCRIPT / 2;
  const head = takeWhile(lines, half);
  if (head.length === lines.length) return lines;
  const tail = takeWhile([...lines.slice(head.length)].reverse(), half).reverse();
  const left = lines.length - head.length - tail.length;
  return left === 0 ? lines : [...head, `{"steps_left_out":${left}}`, ...tail];
}

function takeWhile(lines: readonly string[], most: number): string[] {
  let sum = 0;
  const taken: string[] = [];
  for (const line of lines) {
    sum += line.length + 1;
    if (sum > most) break;
    taken.push(line);
  }
  return taken;
}
