import { ProctorError } from '../../platform/base/errors.ts';
import { MAX_TRIES } from '../task/check-parameters.ts';
import { type Constraint, companionOf, constraintParts, type ParameterSpec, specAt } from '../task/parameters.ts';
import { drawValue } from './generators/draw-value.ts';
import { holds, written } from './generators/hold-constraints.ts';
import type { ParameterValue } from './instance.ts';
import { randomStream } from './random-stream.ts';

/** What is drawn for an instance: the parameters, what must hold between them, and the levels that there are. */
export interface DrawPlan {
  readonly parameters: Readonly<Record<string, ParameterSpec>>;
  readonly constraints: readonly Constraint[];
  readonly difficulty?: { readonly levels: readonly string[] } | undefined;
}

/** Drawn parameters by name, with those that tell what is planted, and the level as `difficulty`. */
export interface Drawn {
  readonly values: Record<string, ParameterValue>;
  /** How often the parameters that constraints name were drawn; 1 when the first draw held. */
  readonly tries: number;
  /** Null when the task has no levels. */
  readonly difficulty: string | null;
}

type Values = Record<string, ParameterValue>;

/**
 * Draws every parameter of a plan; each has its own stream, named by the parameter, so that adding one changes no
 * other. A level that is not given is drawn too. `bad-request` for a level that the plan does not have, `task-invalid`
 * when the constraints did not hold in {@link MAX_TRIES} draws.
 */
export function drawParameters(plan: DrawPlan, draw: { readonly seed: string; readonly difficulty?: string }): Drawn {
  const difficulty = levelOf(plan, draw);
  const retried = new Set(plan.constraints.flatMap((constraint) => constraintParts(constraint).names));
  const failures = plan.constraints.map(() => 0);
  const first = drawAll(plan, { seed: draw.seed, difficulty, attempt: 0 });
  let last = 0;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const only = attempt === 0 ? [] : Object.entries(plan.parameters).filter(([name]) => retried.has(name));
    const again = { ...plan, parameters: Object.fromEntries(only) };
    const values = { ...first, ...drawAll(again, { seed: draw.seed, difficulty, attempt }) };
    const failed = [...plan.constraints.keys()].filter(
      (index) => !holds(plan.constraints[index] as Constraint, values),
    );
    if (failed.length === 0) {
      return { values: difficulty === null ? values : { ...values, difficulty }, tries: attempt + 1, difficulty };
    }
    for (const index of failed) failures[index] = (failures[index] ?? 0) + 1;
    last = failed.at(-1) ?? 0;
  }
  throw impossible(plan.constraints, failures, last);
}

function drawAll(
  plan: DrawPlan,
  { seed, difficulty, attempt }: { seed: string; difficulty: string | null; attempt: number },
): Values {
  const values: Values = {};
  for (const [name, spec] of Object.entries(plan.parameters)) {
    const label = attempt === 0 ? `parameter/${name}` : `parameter/${name}/try-${attempt}`;
    const atLevel = specAt(spec, difficulty);
    const { value, told } = drawValue(atLevel, { seed, label });
    values[name] = value;
    const companion = companionOf(name, atLevel);
    if (companion !== null && told !== undefined) values[companion] = told;
  }
  return values;
}

function levelOf({ difficulty }: DrawPlan, draw: { seed: string; difficulty?: string }): string | null {
  const levels = difficulty?.levels ?? [];
  if (draw.difficulty === undefined) {
    return levels.length === 0 ? null : randomStream(draw.seed, 'difficulty').pick(levels);
  }
  if (levels.includes(draw.difficulty)) return draw.difficulty;
  const known = levels.length === 0 ? 'this task has no levels of difficulty' : `there are: ${levels.join(', ')}`;
  throw new ProctorError('bad-request', `no level ${JSON.stringify(draw.difficulty)}; ${known}`, { levels });
}

function impossible(constraints: readonly Constraint[], failures: readonly number[], last: number): ProctorError {
  const counts = constraints.map((constraint, index) => `${written(constraint)}: ${failures[index]}`).join('; ');
  const name = written(constraints[last] as Constraint);
  const message = `no draw of ${MAX_TRIES} satisfied the constraints; the last one failed ${name}; how often each failed: ${counts}`;
  return new ProctorError('task-invalid', message, { constraint: last, failures });
}
