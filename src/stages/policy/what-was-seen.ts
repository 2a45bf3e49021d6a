import type { SeenContext } from './condition-types.ts';
import type { FiredRule } from './policy.ts';

/** Items of a list that are told. */
const MOST_ITEMS = 20;
const LONGEST_TEXT = 200;

type Seen = NonNullable<FiredRule['because']>[string];

/** The values of the named fields, for people and for machines: of signals their kinds, of whole numbers a number. */
export function whatWasSeen(paths: readonly string[], seen: SeenContext): NonNullable<FiredRule['because']> {
  return Object.fromEntries(paths.map((path) => [path, told(valueAt(path, seen))]));
}

function valueAt(path: string, seen: SeenContext): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as SeenContext)[name], seen);
}

function told(value: unknown): Seen {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(toldItem);
  return JSON.stringify(value, (_name, item) => (typeof item === 'bigint' ? Number(item) : item)).slice(
    0,
    LONGEST_TEXT,
  );
}

function toldItem(item: unknown): string {
  if (typeof item === 'string') return item.slice(0, LONGEST_TEXT);
  const { kind, severity } = item as { readonly kind: string; readonly severity: string };
  return `${kind.slice(0, LONGEST_TEXT)} (${severity})`;
}
