import { drawParameters } from '../instance/generators.ts';
import type { InstanceRow, Parameters } from '../instance/instance.ts';
import { atLevelOf } from '../instance/parameter-plan.ts';
import type { Task } from '../task/task.ts';
import type { Grader, GraderRun } from './candidate.ts';
import { inCandidatePhase } from './candidate-phase.ts';
import type { DrawnCase } from './examiner.ts';
import type { CaseResult, Siblings } from './grade.ts';

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
 * cases and in what is left of their time, for no score. Null where the task has no siblings, or time was short.
 */
export async function runSiblings(run: GraderRun, sibling: SiblingRun): Promise<Siblings | null> {
  const settings = sibling.task.definition.proctor.siblings;
  if (settings === undefined) return null;
  const { parameters } = sibling.instance;
  const own = await answered(run, sibling, { parameters, prefix: 'example' });
  const others: CaseResult[] = [];
  for (let index = 1; index <= settings.count; index++) {
    const varied = { ...parameters, ...redrawn(sibling, index) };
    others.push(...(await answered(run, sibling, { parameters: varied, prefix: `sibling-${index}` })));
  }
  // cases that were not begun say nothing about what it knows; one that hangs is wrong
  if (performance.now() > run.deadlineMs) return null;
  return { own: countOf(own), siblings: { ...countOf(others), instances: settings.count } };
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

/** The data of a sibling. */
function redrawn({ task, instance, hiddenSeed }: SiblingRun, index: number): Parameters {
  const { parameters, siblings, difficulty } = task.definition.proctor;
  const varied = Object.entries(parameters).filter(([name]) => siblings?.vary.includes(name));
  const plan = { parameters: Object.fromEntries(varied), constraints: [], difficulty };
  return drawParameters(plan, { seed: `${hiddenSeed}/sibling/${index}`, ...atLevelOf(instance) }).values;
}

function countOf(results: readonly CaseResult[]): { right: number; of: number } {
  return { right: results.filter(({ status }) => status === 'passed').length, of: results.length };
}
