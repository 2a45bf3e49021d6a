import { Command } from 'commander';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { submit } from '../../pipeline/submit.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { saveInstance } from '../../stages/instance/instance-store.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import type { Service } from '../open-service.ts';
import { progress } from '../output.ts';
import { tellGraded } from '../tell-graded.ts';
import { withService } from '../with-service.ts';

interface GradeOptions {
  readonly artifact: string;
  readonly seed?: string;
  readonly json?: true;
  readonly cases?: true;
}

/** `proctor grade`: grades one folder for one instance of a task, through the whole pipeline. */
export function gradeCommand(): Command {
  return new Command('grade')
    .argument('<task>', 'a task folder')
    .requiredOption('--artifact <folder>', 'the workspace as the agent left it')
    .description('grade what an agent handed in')
    .option('--seed <text>', 'the seed of the instance that the agent worked on; needed when the task has parameters')
    .option('--cases', 'also list every hidden case (may quote hidden values)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  $ proctor instance fixtures/wordtool --seed demo --out /tmp/work\n  $ proctor grade fixtures/wordtool --seed demo --artifact /tmp/work',
    )
    .action((task: string, options: GradeOptions) => withService((service) => gradeOne(service, task, options)));
}

async function gradeOne(service: Service, folder: string, options: GradeOptions): Promise<void> {
  const { parts, pipeline } = service;
  const task = await loadTask(folder);
  if (options.seed === undefined && Object.keys(task.definition.proctor.parameters).length > 0) {
    throw new ProctorError(
      'bad-request',
      'this task has parameters: give the --seed of the instance that was worked on',
    );
  }
  await saveTask(parts, task);
  const { id: instanceId } = await saveInstance(
    parts.database,
    await drawInstance(parts, task, { seed: options.seed }),
  );
  progress(`grading ${options.artifact} …`);
  const artifact = await submit(parts, pipeline, { instanceId, handIn: { folder: options.artifact } });
  await tellGraded(parts, artifact.id, options);
}
