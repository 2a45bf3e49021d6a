import { Environment } from '@marcbachmann/cel-js';
import { z } from 'zod';
import { conditionVariables, type DecisionContext, NO_OPINION, NO_SESSION, UNKNOWN_PROFILE } from './context.ts';

interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** One field that conditions may name. */
export interface FieldShape {
  readonly kind: 'text' | 'number' | 'whole' | 'flag' | 'list' | 'object';
  /** What a text may be; null: anything. */
  readonly values: readonly string[] | null;
  /** Of an object. */
  readonly fields: Readonly<Record<string, FieldShape>>;
  /** Of a list. */
  readonly item: FieldShape | null;
  readonly about: string;
  /** As the expression language calls it. */
  readonly type: string;
  /** Makes the value that the expression language sees. */
  readonly toSeen: (value: unknown) => unknown;
}

/** Of an expression: no rule needs more, and what is larger is refused while it is read. */
const LIMITS = { maxAstNodes: 400, maxDepth: 24, maxListElements: 200, maxMapEntries: 0, maxCallArguments: 3 } as const;

const KINDS = { string: 'text', number: 'number', integer: 'whole', boolean: 'flag' } as const;
const TYPES = { text: 'string', number: 'double', whole: 'int', flag: 'bool' } as const;

const environment = new Environment({ unlistedVariablesAreDyn: false, limits: LIMITS });

/** What conditions may name, by variable; made from the zod schema of the context, so that there is one source. */
export const VARIABLES: Readonly<Record<string, FieldShape>> = Object.fromEntries(
  Object.entries(conditionVariables).map(([name, schema]) => [
    name,
    shapeOf(z.toJSONSchema(schema) as JsonSchema, capital(name)),
  ]),
);

/** The expression language over the declared context. `ratio` divides and fails at zero, where `/` would give infinity. */
export const CONDITIONS = Object.entries(VARIABLES)
  .reduce((declared, [name, { type }]) => declared.registerVariable(name, type), environment)
  .registerFunction('ratio(double, double): double', (part: number, whole: number) => divided(part, whole))
  .registerFunction('ratio(int, int): double', (part: bigint, whole: bigint) => divided(Number(part), Number(whole)));

/** A context as conditions see it; made once for all rules. */
export type SeenContext = Readonly<Record<string, unknown>>;

export function seenContext(context: DecisionContext): SeenContext {
  const known = {
    ...{ ...context, profile: context.profile ?? UNKNOWN_PROFILE, session: context.session ?? NO_SESSION },
    judge: context.judge ?? NO_OPINION,
  };
  const seen: Record<string, unknown> = {};
  for (const name in VARIABLES) seen[name] = VARIABLES[name]?.toSeen(known[name as keyof DecisionContext]);
  return seen;
}

function divided(part: number, whole: number): number {
  if (whole === 0) throw new RangeError('division by zero');
  return part / whole;
}

function shapeOf(schema: JsonSchema, name: string): FieldShape {
  const about = schema.description ?? '';
  const plain = { about, values: null, fields: {}, item: null };
  if (schema.properties !== undefined) return { ...plain, ...objectShape(schema.properties, name) };
  if (schema.items !== undefined) {
    const item = shapeOf(schema.items, name.replace(/s$/, ''));
    const toSeen = (value: unknown) => (value as readonly unknown[]).map(item.toSeen);
    return { ...plain, kind: 'list', item, type: `list<${item.type}>`, toSeen };
  }
  const kind = KINDS[schema.type as keyof typeof KINDS];
  const toSeen = kind === 'whole' ? (value: unknown) => BigInt(value as number) : (value: unknown) => value;
  return { ...plain, kind, type: TYPES[kind], toSeen, values: schema.enum ?? null };
}

/** An object becomes a class of its own, by which the expression language knows its fields. */
function objectShape(
  properties: Readonly<Record<string, JsonSchema>>,
  type: string,
): Pick<FieldShape, 'kind' | 'fields' | 'type' | 'toSeen'> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, shapeOf(schema, `${type}${capital(name)}`)]),
  );
  class Seen {
    [name: string]: unknown;
    constructor(value: Readonly<Record<string, unknown>>) {
      for (const name in fields) this[name] = fields[name]?.toSeen(value[name]);
    }
  }
  const types = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.type]));
  environment.registerType(type, { ctor: Seen, fields: types });
  return { kind: 'object', fields, type, toSeen: (value) => new Seen(value as Readonly<Record<string, unknown>>) };
}

function capital(name: string): string {
  return name.replace(/(^|_)([a-z])/g, (_whole, _before, letter: string) => letter.toUpperCase());
}
