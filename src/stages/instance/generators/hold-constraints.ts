import { ProctorError } from '../../../platform/base/errors.ts';
import { type Constraint, type ConstraintKind, constraintParts } from '../../task/parameters.ts';
import type { ParameterValue } from '../instance.ts';

type Values = Readonly<Record<string, ParameterValue>>;
type Check = (values: readonly ParameterValue[], constraint: Constraint) => boolean;

/** Whether a constraint holds for drawn values; all that it names must be among them. */
export function holds(constraint: Constraint, values: Values): boolean {
  const { kind, names } = constraintParts(constraint);
  return CHECKS[kind](
    names.map((name) => drawnValue(values, name)),
    constraint,
  );
}

/** As it stands in task.toml: `ascending = ["low","high"]`. */
export function written(constraint: Constraint): string {
  return Object.entries(constraint)
    .map(([field, value]) => `${field} = ${JSON.stringify(value)}`)
    .join(', ');
}

function drawnValue(values: Values, name: string): ParameterValue {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new ProctorError('task-invalid', `a constraint names "${name}", which is not drawn`);
  return value;
}

const CHECKS = {
  distinct: (values) => new Set(values.map((value) => JSON.stringify(value))).size === values.length,
  ascending: (values) => values.every((value, index) => index === 0 || Number(values[index - 1]) < Number(value)),
  sum: (values, { min, max }) => {
    const sum = values.reduce<bigint>((total, value) => total + millionths(Number(value)), 0n);
    return (min === undefined || sum >= millionths(min)) && (max === undefined || sum <= millionths(max));
  },
  differs_from: ([value], { differs_from }) => value !== differs_from?.value,
  coprime: (values) =>
    values.every((one, index) => values.slice(index + 1).every((other) => haveNoFactor(Number(one), Number(other)))),
} satisfies Record<ConstraintKind, Check>;

/** Exact, so that 0.1 + 0.2 is 0.3. Drawn numbers and bounds have at most six places and are never written with an exponent. */
function millionths(value: number): bigint {
  const [whole = '0', places = ''] = String(value).split('.');
  return BigInt(whole + places.padEnd(6, '0'));
}

/** Euclid: 0 and a number have that number in common. */
function haveNoFactor(one: number, other: number): boolean {
  let [a, b] = [Math.abs(one), Math.abs(other)];
  while (b > 0) [a, b] = [b, a % b];
  return a === 1;
}
