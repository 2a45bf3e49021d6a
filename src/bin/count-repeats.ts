import { drawInstance } from '../pipeline/draw-instance.ts';
import { digestAnswers } from '../stages/grade/digest-answers.ts';
import { drawHidden } from '../stages/instance/draw-hidden.ts';
import type { Problem, Task } from '../stages/task/task.ts';
import type { Service } from './open-service.ts';

/** How often two instances of a task have the same answers. */
export interface Repeats {
  readonly seeds: number;
  /** Different answers among them. */
  readonly answers: number;
  /** Share of the pairs of seeds whose answers are the same: how often a remembered solution is right. */
  readonly rate: number;
}

const SEEDS = 1_000;
/** A task of which more pairs are alike is learned by heart: one remembered answer in a hundred would be paid. */
const MOST_ALIKE = 0.01;
/** A generator runs in a sandbox each time. */
const GENERATED_SEEDS = 100;

/** Measures over many seeds whether a task's answers repeat. Rejects as drawing and the task's own code do. */
export async function countRepeats({ parts }: Service, task: Task): Promise<Repeats> {
  const seeds = task.definition.proctor.generator === undefined ? SEEDS : GENERATED_SEEDS;
  const instances = [];
  for (let index = 0; index < seeds; index++) {
    const instance = await drawInstance(parts, task, { seed: `repeats-${index}` });
    instances.push(drawHidden(task, instance, task.digest)); // what is drawn late decides too
  }
  const counts = new Map<string, number>();
  for (const digest of await digestAnswers(parts, task, instances)) counts.set(digest, (counts.get(digest) ?? 0) + 1);
  const alike = [...counts.values()].reduce((sum, count) => sum + count * (count - 1), 0);
  return { seeds, answers: counts.size, rate: alike / (seeds * (seeds - 1)) };
}

/** What `proctor task check` says of it: a task whose answers repeat is refused unless it says that they do. */
export function repeatProblems(task: Task, { seeds, answers, rate }: Repeats): readonly Problem[] {
  if (rate <= MOST_ALIKE) return [];
  const share = `${(rate * 100).toFixed(1)} % of all pairs of instances have the same answers (${answers} different ones for ${seeds} seeds)`;
  if (task.definition.proctor.answers_repeat) {
    return [{ severity: 'warning', file: 'task.toml', field: 'proctor.answers_repeat', message: share }];
  }
  const mend = 'let more parameters decide what the hidden tests check, or say answers_repeat = true';
  return [{ severity: 'error', file: 'task.toml', field: 'proctor.parameters', message: `${share}: ${mend}` }];
}
