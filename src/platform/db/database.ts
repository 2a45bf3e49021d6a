import { storable } from '../base/plain-text.ts';

/** A row as the database gives it; stores validate it before use. */
export type RawRow = Readonly<Record<string, unknown>>;

/** One statement with `$1 …` parameters. JSON parameters are passed through {@link jsonParameter}. */
export interface Queryable {
  query(sql: string, parameters?: readonly unknown[]): Promise<readonly RawRow[]>;
}

/** PostgreSQL, on a server or embedded. Errors: `database-unavailable`, `disk-full`, `defect`. */
export interface Database extends Queryable {
  readonly kind: 'embedded' | 'server';
  /** Runs in one transaction; what `run` throws rolls it back and is thrown on. */
  transaction<T>(run: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** Runs a script of several statements, as migrations are. */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** A value as it will be read back; what is digested must be this, not what was given. */
export function asStored<T>(value: T): T {
  return JSON.parse(jsonParameter(value));
}

/** A value as a parameter for a `jsonb` column, which takes neither U+0000 nor lone surrogates. */
export function jsonParameter(value: unknown): string {
  return JSON.stringify(value, (_key, item) => {
    if (typeof item === 'string') return storable(item);
    const hasOddKey = isPlain(item) && Object.keys(item).some((key) => storable(key) !== key);
    return hasOddKey ? Object.fromEntries(Object.entries(item).map(([key, one]) => [storable(key), one])) : item;
  });
}

const isPlain = (item: unknown): item is Readonly<Record<string, unknown>> =>
  typeof item === 'object' && item !== null && !Array.isArray(item);
