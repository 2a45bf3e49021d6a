import { visibleLine } from './visible.ts';

const TONES: Readonly<Record<string, string>> = {
  ...{ passed: 'good', failed: '', ungraded: 'warn', clean: 'good', suspect: 'warn', violated: 'bad', unknown: 'warn' },
  ...{ violation: 'bad', note: '', accept: 'good', 'down-weight': 'warn', quarantine: 'warn', reject: 'bad' },
  ...{ cheat: 'bad', honest: 'good', 'task-defect': 'warn', 'environment-fault': 'warn', unsure: 'info' },
  ...{ 'reviewed-cheat': 'bad', 'reviewed-honest': 'good', 'harness-bug': 'warn' },
  ...{ hard: 'bad', soft: 'warn' },
  ...{ crashed: 'bad', 'timed-out': 'warn', missing: 'warn', skipped: '', appeal: 'info', always: 'warn' },
};

/** A word with the colour that it has everywhere. The word itself says it, too. */
export function Badge({ word }: { readonly word: string }) {
  return <span class={`badge ${TONES[word] ?? ''}`}>{visibleLine(word, 60)}</span>;
}

/** A moment, in UTC. */
export function Moment({ at }: { readonly at: Date }) {
  const text = at.toISOString();
  return <time dateTime={text}>{`${text.slice(0, 10)} ${text.slice(11, 16)}`}</time>;
}

const AGES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** How long something has been there, in its largest unit. */
export function ageOf(at: Date, nowMs = Date.now()): string {
  const ageMs = Math.max(0, nowMs - at.getTime());
  const [unit, unitMs] = AGES.find(([, ms]) => ageMs >= ms) ?? ['min', 60_000];
  return `${Math.floor(ageMs / unitMs)} ${unit}`;
}
