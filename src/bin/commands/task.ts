import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Command } from 'commander';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import { retireSeed } from '../../stages/instance/instance-store.ts';
import { checkTask } from '../../stages/task/check-task.ts';
import { describeProblem, loadTask } from '../../stages/task/load-task.ts';
import type { Problem } from '../../stages/task/task.ts';
import { findTask, findTaskDigest } from '../../stages/task/task-store.ts';
import { BUNDLED } from '../bundled.ts';
import { EXIT } from '../exit-codes.ts';
import { green, printJson, red, yellow } from '../output.ts';
import { registerTask } from '../register-task.ts';
import { tryTask } from '../try-task.ts';
import { withService } from '../with-service.ts';
import { reportTask } from './task-report.ts';

/** `proctor task new|check|add|report|retire`. */
export function taskCommand(): Command {
  const task = new Command('task').description('make, check and register tasks');
  task
    .command('new')
    .argument('<folder>', 'where the task is made; it must not exist')
    .description('make a small working task to start from')
    .addHelpText('after', '\nExample:\n  $ proctor task new my-task && proctor task check my-task')
    .action(newTask);
  task
    .command('check')
    .argument('<folder>', 'a task folder')
    .description('say everything that is wrong with a task, at once')
    .option('--static', 'only read the files; run nothing')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor task check fixtures/wordtool\n  $ proctor task check --static --json my-task',
    )
    .action(checkOne);
  task
    .command('add')
    .argument('<folder...>', 'task folders')
    .description('register tasks, so that the API can make instances of them')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor task add fixtures/*')
    .action(addTasks);
  addSeedCommands(task);
  return task;
}

/** Commands about what is known outside of a task. */
function addSeedCommands(task: Command): void {
  task
    .command('report')
    .argument('<task>', 'name or digest of a registered task')
    .description('compare pass rates on its published instance with those on fresh ones: a gap says that it leaked')
    .option('--canonical <seed>', 'seed of the published instance; by default the task’s canonical_seed')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor task report proctor/wordtool\n  $ proctor task report proctor/wordtool --canonical demo --json',
    )
    .action(reportTask);
  task
    .command('retire')
    .argument('<task>', 'name or digest of a registered task')
    .requiredOption('--seed <text>', 'a seed that is known outside')
    .requiredOption('--reason <text>', 'why, for whoever asks for it again')
    .description('serve a seed for evaluation only, from now on')
    .addHelpText('after', '\nExample:\n  $ proctor task retire proctor/wordtool --seed demo --reason "in a blog post"')
    .action(retireOne);
}

async function retireOne(name: string, { seed, reason }: { seed: string; reason: string }): Promise<void> {
  await withService(async ({ parts }) => {
    const { name: task } = await findTask(parts, await findTaskDigest(parts.database, name));
    await retireSeed(parts.database, { task, seed, reason });
    console.log(`${task}: this seed is served for evaluation only`);
  });
}

async function newTask(folder: string): Promise<void> {
  const target = resolve(folder);
  await mkdir(target, { recursive: false }).catch((thrown) => {
    if (errnoOf(thrown) === 'EEXIST') throw new ProctorError('conflict', `${folder} exists already`);
    throw thrown;
  });
  const source = join(BUNDLED.fixtureFolder, 'implement-slugify');
  for (const name of ['task.toml', 'instruction.md', 'environment', 'tests', 'solution']) {
    await cp(join(source, name), join(target, name), { recursive: true });
  }
  const settings = join(target, 'task.toml');
  const text = await readFile(settings, 'utf8');
  await writeFile(settings, text.replace(/^name = ".*"$/m, `name = "${taskName(basename(target))}"`));
  console.log(
    `Made ${folder}. Now edit task.toml, instruction.md and tests/oracle.py, then: proctor task check ${folder}`,
  );
}

function taskName(folder: string): string {
  return `local/${folder.replace(/[^A-Za-z0-9._-]/g, '-')}`;
}

async function checkOne(folder: string, options: { static?: true; json?: true }): Promise<void> {
  const checked = await checkTask(folder);
  const problems: Problem[] = [...checked.problems];
  const sound = problems.every(({ severity }) => severity !== 'error');
  if (sound && !options.static) problems.push(...(await withService((service) => tryTask(service, folder))));
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (options.json) printJson({ task: folder, errors, problems });
  else printProblems(folder, problems, errors);
  process.exitCode = errors === 0 ? EXIT.ok : EXIT.caller;
}

function printProblems(folder: string, problems: readonly Problem[], errors: number): void {
  for (const problem of problems) {
    const mark = problem.severity === 'error' ? red('error') : yellow('warning');
    console.log(`${mark}  ${describeProblem(problem)}`);
  }
  console.log(errors === 0 ? green(`${folder}: no errors`) : red(`${folder}: ${errors} error(s)`));
}

async function addTasks(folders: readonly string[], options: { json?: true }): Promise<void> {
  const tasks = await Promise.all((await taskFolders(folders)).map(loadTask));
  await withService(async ({ parts }) => {
    for (const task of tasks) await registerTask(parts, task);
  });
  const added = tasks.map(({ name, digest }) => ({ name, digest }));
  if (options.json) printJson({ tasks: added });
  else for (const { name, digest } of added) console.log(`${name}  ${digest}`);
}

/** The given folders that are tasks, and those directly below the ones that are not. */
export async function taskFolders(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch((thrown) => {
        throw new ProctorError('not-found', `${folder} is not a folder`, {}, { cause: thrown });
      });
      if (names.includes('task.toml')) return [folder];
      const below = await Promise.all(names.map((name) => readdir(join(folder, name)).catch((): string[] => [])));
      return names.filter((_, index) => below[index]?.includes('task.toml')).map((name) => join(folder, name));
    }),
  );
  return found.flat();
}
