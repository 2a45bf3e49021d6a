import { holds } from '../instance/generators/hold-constraints.ts';
import { drawParameters } from '../instance/generators.ts';
import type { InstanceRow, Parameters } from '../instance/instance.ts';
import { atLevelOf, earlyPlan } from '../instance/parameter-plan.ts';
import type { Task } from '../task/task.ts';
import type { Grader, GraderRun } from './candidate.ts';
import { inCandidatePhase } from './candidate-phase.ts';
import type { DrawnCase } from './examiner.ts';
import type { CaseResult, Siblings } from './grade.ts';

/** Draws of one sibling whose values may break the constraints together with those that stay. */
const MOST_DRAWS = 50;

interface SiblingRun {
  readonly task: Task;
  readonly instance: InstanceRow;
  readonly hiddenSeed: string;
  readonly answer: Grader;
  /** Refuses what cannot be put to any candidate. */
  readonly accept: (drawn: DrawnCase) => void;
}

/**
 * Runs a hand-in on the examples that its subject was shown and on those of sibling instances, whose data nobody was. After the hidden
 * cases and in what is left of their time, for no score. Null where the task has no siblings, time was short, or something failed: what was
 * measured before stands.
 */
export async function runSiblings(run: GraderRun, sibling: SiblingRun): Promise<Siblings | null> {
  const settings = sibling.task.definition.proctor.siblings;
  if (settings === undefined) return null;
  // whatever goes wrong here, what was measured stands
  return runAll(run, sibling, settings.count).catch(() => null);
}

async function runAll(run: GraderRun, sibling: SiblingRun, instances: number): Promise<Siblings | null> {
  const { parameters } = sibling.instance;
  const own = await answered(run, sibling, { parameters, prefix: 'example' });
  const others: CaseResult[] = [];
  for (let index = 1; index <= instances; index++) {
    const varied = redrawn(sibling, index);
    if (varied === null) return null;
    others.push(...(await answered(run, sibling, { parameters: varied, prefix: `sibling-${index}` })));
  }
  // cases that were not begun say nothing about what it knows; one that hangs is wrong
  if (performance.now() > run.deadlineMs) return null;
  return { own: countOf(own), siblings: { ...countOf(others), instances } };
}

async function answered(
  run: GraderRun,
  { answer, accept }: SiblingRun,
  wanted: { readonly parameters: Parameters; readonly prefix: string },
): Promise<readonly CaseResult[]> {
  const cases = await run.examiner.drawExamples(wanted);
  for (const drawn of cases) accept(drawn);
  const examiner = { ...run.examiner, cases };
  return inCandidatePhase(() => answer({ ...run, examiner, definition: withoutBuild(run.definition) }));
}

/** What is built is built. */
function withoutBuild(definition: GraderRun['definition']): GraderRun['definition'] {
  const { proctor } = definition;
  if (proctor.stdio?.build === undefined) return definition;
  const { build: _built, ...stdio } = proctor.stdio;
  return { ...definition, proctor: { ...proctor, stdio } };
}

/** The data of a sibling, with which the task's constraints hold as they do for instances; null when no draw of some does. */
function redrawn({ task, instance, hiddenSeed }: SiblingRun, index: number): Parameters | null {
  const vary = task.definition.proctor.siblings?.vary ?? [];
  const plan = earlyPlan(task);
  for (let attempt = 0; attempt < MOST_DRAWS; attempt++) {
    const seed = `${hiddenSeed}/sibling/${index}/${attempt}`;
    const { values } = drawParameters(plan, { seed, ...atLevelOf(instance) });
    const varied = Object.entries(values).filter(([name]) => vary.includes(name));
    const parameters = { ...instance.parameters, ...Object.fromEntries(varied) };
    if (plan.constraints.every((constraint) => holds(constraint, parameters))) return parameters;
  }
  return null;
}

function countOf(results: readonly CaseResult[]): { right: number; of: number } {
  return { right: results.filter(({ status }) => status === 'passed').length, of: results.length };
}
