/** Values that JSON can carry without loss. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/**
 * JSON with sorted keys and no white space, after RFC 8785: the same value gives the same bytes.
 * Throws a TypeError on what JSON cannot carry (NaN, infinities, functions, undefined inside arrays, cycles).
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > 200) throw new TypeError('canonical JSON: nested deeper than 200 levels');
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON: ${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object') return writeObject(value, depth);
  throw new TypeError(`canonical JSON: a ${typeof value} is not a JSON value`);
}

function writeObject(value: object, depth: number): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('canonical JSON: only plain objects are JSON values');
  }
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${write(item, depth + 1)}`).join(',')}}`;
}
