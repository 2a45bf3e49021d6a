import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitReward } from '../pipeline/await-reward.ts';
import { submit } from '../pipeline/submit.ts';
import { ProctorError } from '../platform/base/errors.ts';
import { findGrade } from '../stages/grade/grade-store.ts';
import { saveInstance } from '../stages/instance/instance-store.ts';
import { makeInstance } from '../stages/instance/make-instance.ts';
import { loadTask } from '../stages/task/load-task.ts';
import type { Problem, Task } from '../stages/task/task.ts';
import { saveTask } from '../stages/task/task-store.ts';
import { findVerdict } from '../stages/verdict/verdict-store.ts';
import { buildWorkspace } from './corpus/build-workspace.ts';
import type { Service } from './open-service.ts';

/** Seeds of the trial: fixed, so that the same task gives the same report. */
const TRIAL_SEEDS = ['trial-1', 'trial-2', 'trial-3'];

/** Runs a sound task: the reference solution must pass, and handing in nothing must not, on several instances. */
export async function tryTask(service: Service, folder: string): Promise<readonly Problem[]> {
  const task = await loadTask(folder);
  await saveTask(service.parts, task);
  const trials = TRIAL_SEEDS.flatMap((seed) => [
    { seed, files: join(folder, 'solution'), name: 'solution', wanted: 'passed' as const },
    { seed, files: join(folder, 'no-such-folder'), name: 'environment', wanted: 'failed' as const },
  ]);
  const problems = await Promise.all(trials.map((trial) => tryOne(service, task, trial)));
  const seen = new Set<string>();
  return problems.flat().filter(({ message }) => !seen.has(message) && seen.add(message));
}

interface Trial {
  readonly seed: string;
  readonly files: string;
  readonly name: string;
  readonly wanted: 'passed' | 'failed';
}

async function tryOne(service: Service, task: Task, trial: Trial): Promise<readonly Problem[]> {
  const { parts, pipeline } = service;
  let scratch = '';
  try {
    const instance = makeInstance(task, trial.seed);
    const { id: instanceId } = await saveInstance(parts.database, instance);
    scratch = await mkdtemp(join(tmpdir(), 'proctor-trial-'));
    await buildWorkspace(scratch, instance, {
      ...{ task: task.name, name: trial.name, taskFolder: '', folder: trial.files },
      expectation: {
        kind: 'reference',
        about: '-',
        expect: { outcome: 'passed', integrity: 'clean', reward: 1, signals: [] },
        make: [],
      },
    });
    const { id } = await submit(parts, pipeline, { instanceId, handIn: { folder: scratch } });
    const reward = await awaitReward(parts.database, id);
    return await problemsOf(service, reward.verdictId, trial);
  } catch (thrown) {
    if (!(thrown instanceof ProctorError) || thrown.fault !== 'task') throw thrown;
    return [{ severity: 'error', file: trial.name, message: thrown.message }];
  } finally {
    if (scratch !== '') await rm(scratch, { recursive: true, force: true });
  }
}

async function problemsOf({ parts }: Service, verdictId: string, trial: Trial): Promise<readonly Problem[]> {
  const verdict = await findVerdict(parts.database, verdictId);
  const { outcome, reason } = verdict.body;
  if (outcome === 'ungraded')
    return [{ severity: 'error', file: 'tests/oracle.py', message: reason ?? 'it could not be graded' }];
  if (outcome === trial.wanted) return [];
  if (trial.wanted === 'failed') {
    return [
      {
        severity: 'error',
        file: 'tests/oracle.py',
        message: 'handing in the environment unchanged passes: the task pays for nothing',
      },
    ];
  }
  const { body } = await findGrade(parts.database, verdict.gradeId);
  const wrong = body.kind === 'measured' ? body.cases.find(({ status }) => status !== 'passed') : undefined;
  const why = wrong === undefined ? (reason ?? '') : `${wrong.id} ${wrong.status}: ${wrong.note}`;
  return [{ severity: 'error', file: 'solution', message: `the reference solution does not pass: ${why}` }];
}
