import type { Task } from '../task/task.ts';
import type { DrawPlan } from './generators.ts';
import type { InstanceRow } from './instance.ts';

/** What of a task's parameters is drawn when an instance is made. */
export function earlyPlan({ definition }: Task): DrawPlan {
  const { parameters, constraints, difficulty } = definition.proctor;
  return { parameters: only(parameters, false), constraints, difficulty };
}

/** What is drawn once an artifact is sealed; no constraint speaks of it. */
export function latePlan({ definition }: Task): DrawPlan {
  const { parameters, difficulty } = definition.proctor;
  return { parameters: only(parameters, true), constraints: [], difficulty };
}

function only(parameters: DrawPlan['parameters'], late: boolean): DrawPlan['parameters'] {
  return Object.fromEntries(Object.entries(parameters).filter(([, spec]) => (spec.late ?? false) === late));
}

/** Which level an instance is of, for what is drawn after it. */
export function atLevelOf({ draws }: Pick<InstanceRow, 'draws'>): { readonly difficulty?: string } {
  return draws.difficulty === null ? {} : { difficulty: draws.difficulty };
}
