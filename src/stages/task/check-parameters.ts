import { CELLS } from './cell-schema.ts';
import { type DrawSize, MAX_DRAWN, totalSize } from './parameter-size.ts';
import {
  type Constraint,
  type ConstraintKind,
  companionOf,
  constraintParts,
  type ParameterSpec,
  specAt,
} from './parameters.ts';

/** The parts of `[proctor]` that say what is drawn. */
export interface DrawSettings {
  readonly parameters: Readonly<Record<string, ParameterSpec>>;
  readonly difficulty?: { readonly levels: readonly string[] } | undefined;
  readonly constraints: readonly Constraint[];
}

/** A fault in them; the path is relative to `[proctor]`. */
export interface DrawFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** How often the parameters that constraints name are drawn at most. */
export const MAX_TRIES = 200;
const LEVEL_NAME = 'difficulty';

/** Everything in them that does not fit together: names that clash, levels and parameters that are not there, too much drawn. */
export function drawFaults(settings: DrawSettings): readonly DrawFault[] {
  return [
    ...nameClashes(settings),
    ...unknownLevels(settings),
    ...sizeFaults(settings),
    ...settings.constraints.flatMap((constraint, index) => constraintFaults(settings, constraint, index)),
  ];
}

/** Names that an instance has a value for at every level: what a template may use. */
export function drawnNames(settings: DrawSettings): readonly string[] {
  const always = companions(settings).filter(({ isAtEveryLevel }) => isAtEveryLevel);
  return [
    ...Object.keys(settings.parameters),
    ...always.map(({ name }) => name),
    ...(settings.difficulty === undefined ? [] : [LEVEL_NAME]),
  ];
}

function levelsOf(settings: DrawSettings): readonly (string | null)[] {
  return settings.difficulty?.levels ?? [null];
}

function companions(settings: DrawSettings) {
  return Object.entries(settings.parameters).flatMap(([of, spec]) => {
    const names = levelsOf(settings).map((level) => companionOf(of, specAt(spec, level)));
    const name = names.find((one) => one !== null);
    return name === undefined || name === null ? [] : [{ of, name, isAtEveryLevel: !names.includes(null) }];
  });
}

function nameClashes(settings: DrawSettings): readonly DrawFault[] {
  const has = (name: string) => Object.hasOwn(settings.parameters, name);
  const told = companions(settings)
    .filter(({ name }) => has(name))
    .map(({ of, name }) => ({ path: ['parameters', name], message: `is the name of what "${of}" tells of itself` }));
  if (settings.difficulty === undefined || !has(LEVEL_NAME)) return told;
  return [...told, { path: ['parameters', LEVEL_NAME], message: 'is the name of the level of [proctor.difficulty]' }];
}

function unknownLevels({ parameters, difficulty }: DrawSettings): readonly DrawFault[] {
  const known = difficulty?.levels ?? [];
  return Object.entries(parameters).flatMap(([name, spec]) =>
    Object.keys(spec.at ?? {})
      .filter((level) => !known.includes(level))
      .map((level) => ({
        path: ['parameters', name, 'at', level],
        message: `is no level of [proctor.difficulty]; there are: ${known.join(', ') || 'none'}`,
      })),
  );
}

function sizeFaults(settings: DrawSettings): readonly DrawFault[] {
  const all = Object.values(settings.parameters);
  const retried = new Set(settings.constraints.flatMap((constraint) => constraintParts(constraint).names));
  const again = Object.entries(settings.parameters).flatMap(([name, spec]) => (retried.has(name) ? [spec] : []));
  const perTry = { cells: MAX_DRAWN.cells / MAX_TRIES, bytes: Math.floor(MAX_DRAWN.bytes / MAX_TRIES) };
  const faults = [
    overSize(settings, all, { path: 'parameters', what: 'the parameters of a task', limit: MAX_DRAWN }),
    overSize(settings, again, { path: 'constraints', what: 'the parameters that constraints name', limit: perTry }),
  ];
  return faults.filter((fault) => fault !== null);
}

function overSize(
  settings: DrawSettings,
  specs: readonly ParameterSpec[],
  { path, what, limit }: { path: string; what: string; limit: DrawSize },
): DrawFault | null {
  for (const level of levelsOf(settings)) {
    const { cells, bytes } = totalSize(specs.map((spec) => specAt(spec, level)));
    if (cells <= limit.cells && bytes <= limit.bytes) continue;
    const where = level === null ? '' : ` at the level "${level}"`;
    const most = `${what} may draw ${limit.cells} values and ${limit.bytes} bytes`;
    return { path: [path], message: `${most}; these could draw ${cells} and ${bytes}${where}` };
  }
  return null;
}

function constraintFaults(settings: DrawSettings, constraint: Constraint, index: number): readonly DrawFault[] {
  const { kind, names } = constraintParts(constraint);
  const known = Object.keys(settings.parameters);
  return names.flatMap((name, place) => {
    const path = ['constraints', index, kind, kind === 'differs_from' ? 'name' : place];
    const spec = Object.hasOwn(settings.parameters, name) ? settings.parameters[name] : undefined;
    if (spec === undefined) {
      const message = `"${name}" is not in [proctor.parameters]; there are: ${known.join(', ') || 'none'}`;
      return [{ path, message }];
    }
    if (spec.late === true) return [{ path, message: `"${name}" is late: it is drawn after the hand-in` }];
    const unfit = levelsOf(settings).some((level) => !FITS[kind](specAt(spec, level)));
    return unfit ? [{ path, message: `"${name}" is not ${NEEDED[kind]}` }] : [];
  });
}

const isWhole = (spec: ParameterSpec): boolean =>
  spec.type === 'integer' ||
  (spec.type === 'choice' && spec.of.every((value) => typeof value === 'number')) ||
  (spec.type === 'datetime' && spec.form === 'epoch');
const isNumber = (spec: ParameterSpec): boolean => spec.type === 'decimal' || isWhole(spec);
const isSingle = (spec: ParameterSpec): boolean => Object.hasOwn(CELLS, spec.type);

/** What a kind of constraint can be asked of. */
const FITS = {
  distinct: () => true,
  ascending: isNumber,
  sum: isNumber,
  differs_from: isSingle,
  coprime: isWhole,
} satisfies Record<ConstraintKind, (spec: ParameterSpec) => boolean>;

const NEEDED = {
  distinct: 'a value',
  ascending: 'a number',
  sum: 'a number',
  differs_from: 'a single value',
  coprime: 'a whole number',
} satisfies Record<ConstraintKind, string>;
