import { ProctorError } from '../../platform/base/errors.ts';
import { proctorSchema, SETTINGS_WITH_PLACES, type Task } from '../task/task.ts';
import type { Parameters } from './instance.ts';
import { render } from './render.ts';

/**
 * The task as one instance has it: `{{name}}` places in its settings are filled. What runs or is collected may so have a name
 * of the instance's own. `task-invalid` when a filled setting is none.
 */
export function fillTask(task: Task, parameters: Parameters): Task {
  const { proctor } = task.definition;
  const filled = SETTINGS_WITH_PLACES.map((name) => [name, fill(proctor[name], parameters)] as const);
  if (filled.every(([name, value]) => value === proctor[name])) return task;
  const parsed = proctorSchema.safeParse({ ...proctor, ...Object.fromEntries(filled) });
  if (parsed.success) return { ...task, definition: { ...task.definition, proctor: parsed.data } };
  const faults = parsed.error.issues.map((issue) => `proctor.${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new ProctorError('task-invalid', `task.toml, filled for this instance: ${faults}`);
}

/** The same value where it holds no place. */
function fill(value: unknown, parameters: Parameters): unknown {
  if (typeof value === 'string') return value.includes('{{') ? render(value, 'task.toml', parameters) : value;
  if (typeof value !== 'object' || value === null) return value;
  const filled = Object.entries(value).map(([key, part]) => [key, fill(part, parameters)] as const);
  const same = filled.every(([key, part]) => part === (value as Record<string, unknown>)[key]);
  if (same) return value;
  return Array.isArray(value) ? filled.map(([, part]) => part) : Object.fromEntries(filled);
}
