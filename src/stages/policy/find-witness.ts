import { SEVERITIES } from '../signal/signal.ts';
import type { Condition } from './compile-condition.ts';
import { type FieldShape, type SeenContext, seenContext, VARIABLES } from './condition-types.ts';
import { type DecisionContext, NO_OPINION, NO_SESSION, UNKNOWN_PROFILE } from './context.ts';
import { caseContext } from './run-cases.ts';

/** Contexts that are tried for one condition, and for all of a policy together. */
const MOST_FOR_ONE = 2_048;
const MOST_FOR_ALL = 200_000;

type Signals = readonly { readonly kind: string; readonly severity: string }[];

/**
 * Looks for a context in which a condition holds and that no law decides: every combination of the values that it compares its fields
 * with, and of what lies beside them. What is not found may exist, so an author can show it by a case.
 */
export function createWitnessSearch(): (condition: Condition<boolean>) => 'fires' | 'never' | 'too-many' {
  let left = MOST_FOR_ALL;
  return (condition) => {
    const fields = condition.paths.map((path) => ({ path, values: candidates(condition, path) }));
    const all = fields.reduce((product, { values }) => product * values.length, 1);
    const tries = Math.min(all, MOST_FOR_ONE);
    for (let n = 0; n < tries; n++) {
      if (left-- <= 0) return 'too-many';
      // with more combinations than tries, a stride that is no divisor of their number spreads over them
      const seen = contextOf(fields, all > tries ? Math.floor((n * all) / tries) + (n % 7) : n);
      if (holds(condition, seen)) return 'fires';
    }
    return 'never';
  };
}

function holds(condition: Condition<boolean>, seen: SeenContext): boolean {
  try {
    return condition.of(seen);
  } catch {
    return false;
  }
}

interface Field {
  readonly path: string;
  readonly values: readonly unknown[];
}

const PLAIN: DecisionContext = {
  ...caseContext({ outcome: 'passed', integrity: 'clean', assurance: 'oracle', fault: 'none', signals: [] }),
  ...{ profile: UNKNOWN_PROFILE, session: NO_SESSION, judge: NO_OPINION },
};

/** The combination of that number. */
function contextOf(fields: readonly Field[], number: number): SeenContext {
  const context: DecisionContext = structuredClone(PLAIN);
  let rest = number;
  for (const { path, values } of fields) {
    put(context, path.split('.'), values[rest % values.length]);
    rest = Math.floor(rest / values.length);
  }
  return seenContext(context);
}

function put(into: object, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) Object.assign(into, { [name]: value });
  else put((into as Readonly<Record<string, object>>)[name] as object, rest, value);
}

/** What a field is tried with. Laws decide what is ungraded or unknown, so no rule is reached by those. */
function candidates({ literals }: Condition<boolean>, path: string): readonly unknown[] {
  if (path === 'signals') return signalLists(literals);
  const shape = shapeAt(path);
  const compared = [...(literals.get(path) ?? [])];
  switch (shape.kind) {
    case 'flag':
      return [true, false];
    case 'text':
      return shape.values?.filter((value) => !DECIDED_BY_LAW.includes(value)) ?? ['', 'x', ...compared];
    case 'whole':
      return around(compared.map(Number), 1).filter((value) => value >= -1);
    case 'number':
      return around(compared.map(Number), 1e-6).filter((value) => value >= 0 && value <= 1);
    case 'list':
      return [[], compared, ...compared.map((one) => [one])];
    case 'object':
      return [PLAIN];
  }
}

const DECIDED_BY_LAW: readonly string[] = ['ungraded', 'unknown'];

function around(values: readonly number[], step: number): number[] {
  return [...new Set([0, 1, ...values.flatMap((value) => [value, value - step, value + step])])];
}

function signalLists(literals: Condition<boolean>['literals']): readonly Signals[] {
  const named = (field: string) => [...literals].flatMap(([path, values]) => (path.endsWith(field) ? [...values] : []));
  const [kinds, severities] = [named('.kind').map(String), named('.severity').map(String)];
  const all = (kinds.length > 0 ? kinds : ['x']).flatMap((kind) =>
    (severities.length > 0 ? severities : SEVERITIES).map((severity) => ({ kind, severity })),
  );
  return [[], all, ...all.map((one) => [one])];
}

function shapeAt(path: string): FieldShape {
  const [first = '', ...rest] = path.split('.');
  return rest.reduce((shape, name) => shape.fields[name] as FieldShape, VARIABLES[first] as FieldShape);
}
