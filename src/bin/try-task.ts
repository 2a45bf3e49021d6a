import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { drawInstance } from '../pipeline/draw-instance.ts';
import { ProctorError } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { collectFolder } from '../stages/artifact/collect-folder.ts';
import type { GradeBody } from '../stages/grade/grade.ts';
import { gradeArtifact } from '../stages/grade/grade-artifact.ts';
import { fillTask } from '../stages/instance/fill-task.ts';
import type { Instance } from '../stages/instance/instance.ts';
import { loadTask } from '../stages/task/load-task.ts';
import type { Problem, Task } from '../stages/task/task.ts';
import { saveTask } from '../stages/task/task-store.ts';
import { overlay, placeFiles } from './corpus/build-workspace.ts';
import { countRepeats, repeatProblems } from './count-repeats.ts';
import { gradeFolder } from './grade-folder.ts';
import type { Service } from './open-service.ts';
import { progress } from './output.ts';
import { withScratchFolder } from './scratch-folder.ts';
import { unstoredArtifact } from './unstored-artifact.ts';

/** Seeds of the trial: fixed, so that the same task gives the same report. */
const TRIAL_SEEDS = ['trial-1', 'trial-2', 'trial-3'];

/** What is handed in at a trial, and what must come of it. */
interface Trial {
  readonly seed: string;
  readonly handsIn: 'solution' | 'environment' | 'nothing';
}

/** Runs a sound task: the reference must pass, and handing in the environment unchanged, or nothing, must not. */
export async function tryTask(service: Service, folder: string): Promise<readonly Problem[]> {
  const task = await loadTask(folder);
  const unmet = await unmetNeeds(service, task, folder);
  if (unmet.length > 0) return unmet;
  await saveTask(service.parts, task);
  const kinds = ['solution', 'environment', 'nothing'] as const;
  const trials = TRIAL_SEEDS.flatMap((seed) => kinds.map((handsIn): Trial => ({ seed, handsIn })));
  const problems: Problem[] = [];
  for (const [index, trial] of trials.entries()) {
    progress(`trial ${index + 1} of ${trials.length}: ${trial.handsIn} (seed ${trial.seed})`);
    const found = await tryOne({ service, task, folder, trial });
    problems.push(...found.filter(({ message }) => !problems.some((known) => known.message === message)));
    if (found.some(({ file }) => file === 'tests/oracle.py')) break; // every further trial would say the same
  }
  const sound = problems.every(({ severity }) => severity !== 'error');
  const repeats = sound ? await repeatsOf(service, task) : [];
  progress('');
  return [...problems, ...repeats];
}

async function repeatsOf(service: Service, task: Task): Promise<readonly Problem[]> {
  progress('counting answers that repeat');
  return repeatProblems(task, await countRepeats(service, task));
}

/** What the task names and this machine does not have. */
async function unmetNeeds({ parts }: Service, task: Task, folder: string): Promise<readonly Problem[]> {
  const { snapshot, policy } = task.definition.proctor;
  const problems: Problem[] = [];
  const note = (field: string) => (thrown: unknown) => {
    if (!(thrown instanceof ProctorError)) throw thrown;
    problems.push({ severity: 'error', file: 'task.toml', field, message: thrown.message });
  };
  await parts.snapshots.resolve(snapshot).catch(note('proctor.snapshot'));
  await parts.policies.find(policy).catch(note('proctor.policy'));
  const solution = await readdir(join(folder, 'solution')).catch(() => []);
  if (solution.length === 0) {
    const message = 'is missing: without a reference nobody knows whether the task can be done';
    problems.push({ severity: 'error', file: 'solution', message });
  }
  return problems;
}

async function tryOne(of: { service: Service; task: Task; folder: string; trial: Trial }): Promise<readonly Problem[]> {
  const { service, task, folder, trial } = of;
  const instance = await drawInstance(service.parts, task, { seed: trial.seed });
  return withScratchFolder('trial', async (workspace) => {
    if (trial.handsIn !== 'nothing') await placeFiles(workspace, instance.files);
    if (trial.handsIn === 'solution') await overlay(workspace, join(folder, 'solution'), instance.parameters);
    const { grade } = await gradeFolder(service, instance, workspace);
    const problems = problemsOf(grade, trial);
    const asksSiblings = trial.handsIn === 'solution' && problems.length === 0;
    return asksSiblings ? siblingProblems(service, { task, instance, workspace }) : problems;
  });
}

/** The reference must be right for the examples of every sibling: what varies is data, and no rule. */
async function siblingProblems(
  { parts }: Service,
  of: { task: Task; instance: Instance; workspace: string },
): Promise<readonly Problem[]> {
  if (of.task.definition.proctor.siblings === undefined) return [];
  const task = fillTask(of.task, of.instance.parameters);
  const instance = { id: newId('inst'), ...of.instance };
  const manifest = await collectFolder(of.workspace, task.definition.proctor.artifact, parts.blobs);
  const artifact = unstoredArtifact(instance.id, manifest);
  const { siblings } = await gradeArtifact(parts, { task, instance, artifact, allSiblings: true });
  if (siblings === undefined) {
    return [
      {
        severity: 'error',
        file: 'tests/oracle.py',
        message: 'examples() fails or takes too long, so that siblings tell nothing',
      },
    ];
  }
  const { own, siblings: others } = siblings;
  if (own.right === own.of && others.right === others.of) return [];
  const told = `${own.right} of ${own.of} examples are right for it, and ${others.right} of ${others.of} of its siblings`;
  return [{ severity: 'error', file: 'solution', message: `${told}: siblings may vary only what a solution reads` }];
}

function problemsOf(body: GradeBody, trial: Trial): readonly Problem[] {
  const problem = (file: string, message: string): readonly Problem[] => [{ severity: 'error', file, message }];
  if (body.kind === 'ungraded' && body.code === 'runner-missing') return problem('task.toml', body.message);
  if (body.kind === 'ungraded') return problem('tests/oracle.py', body.message.replace(/^tests\/oracle\.py: /, ''));
  const green = body.witness?.green ?? [];
  if (green.length > 0) {
    return problem(
      'tests',
      `a twin of ${green.join(', ')} passes together with it (${trial.handsIn}); it must say the contrary`,
    );
  }
  if (trial.handsIn === 'solution') {
    if (body.passed) return [];
    const wrong = body.cases.find(({ status }) => status !== 'passed');
    const why = wrong === undefined ? (body.refusal ?? '') : `${wrong.id} ${wrong.status}: ${wrong.note}`;
    return problem('solution', `does not pass (seed ${trial.seed}): ${why}`);
  }
  const what = trial.handsIn === 'nothing' ? 'handing in nothing' : 'handing in the environment unchanged';
  if (body.passed) return problem('tests/oracle.py', `${what} passes: the task pays for nothing`);
  if (trial.handsIn === 'environment' || body.score === 0) return [];
  const share = `${body.cases.filter(({ status }) => status === 'passed').length} of ${body.cases.length}`;
  return [
    { severity: 'warning', file: 'tests/oracle.py', message: `${what} gets ${share} cases right (seed ${trial.seed})` },
  ];
}
