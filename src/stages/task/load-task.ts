import { basename, resolve } from 'node:path';
import { digestOf, digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { type CheckedTask, checkFiles, checkTask } from './check-task.ts';
import type { Problem, Task, TaskFile } from './task.ts';

/** Reads a task folder. Throws `not-found` or `task-invalid`; the latter's `details.problems` holds everything wrong. */
export async function loadTask(folder: string): Promise<Task> {
  const checked = await checkTask(folder);
  if (checked.files.length === 0 && checked.problems.length <= 1) {
    throw new ProctorError('not-found', `${folder} is not a task folder: it has no task.toml`);
  }
  return toTask(checked, basename(resolve(folder)));
}

/** A task from files that were stored before. */
export function taskFromFiles(files: readonly TaskFile[], name: string): Task {
  return toTask(checkFiles(files), name);
}

function toTask(checked: CheckedTask, fallbackName: string): Task {
  const errors = checked.problems.filter((problem) => problem.severity === 'error');
  if (errors.length > 0 || checked.definition === null) {
    throw new ProctorError('task-invalid', errors.map(describeProblem).join('\n'), { problems: errors });
  }
  const listing = checked.files.map(({ path, mode, bytes }) => ({ path, mode, sha256: digestOf(bytes) }));
  return {
    name: checked.definition.task.name ?? fallbackName,
    digest: digestOfJson({ format: 'proctor/task/1', files: listing }),
    definition: checked.definition,
    files: checked.files,
  };
}

/** One line for people: `task.toml:12: proctor.grader: …`. */
export function describeProblem(problem: Problem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, problem.field, problem.message].filter(Boolean).join(': ');
}
