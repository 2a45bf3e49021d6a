import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import type { Instance } from '../../stages/instance/instance.ts';
import { makeInstance } from '../../stages/instance/make-instance.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import type { Task } from '../../stages/task/task.ts';
import { printJson } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';

interface InstanceOptions {
  readonly seed?: string;
  readonly difficulty?: string;
  readonly out?: string;
  readonly json?: true;
}

/** `proctor instance`: what an agent would see for a seed. Needs no service, unless the task has a generator of its own. */
export function instanceCommand(): Command {
  return new Command('instance')
    .argument('<task>', 'a task folder')
    .description('make an instance of a task: same task and seed, same bytes')
    .option('--seed <text>', 'draw everything from this seed; without it a new one is drawn')
    .option('--difficulty <level>', 'a level of the task’s; without it the seed draws one')
    .option('--out <folder>', 'write the workspace and INSTRUCTION.md there; it must be empty or not exist')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor instance fixtures/wordtool --seed demo\n  $ proctor instance fixtures/wordtool --out /tmp/workspace',
    )
    .action(async (folder: string, options: InstanceOptions) => {
      const instance = await draw(await loadTask(folder), options);
      if (options.out !== undefined) await writeWorkspace(options.out, instance);
      if (options.json) printJson(toJson(instance));
      else printInstance(instance);
    });
}

function draw(task: Task, { seed, difficulty }: InstanceOptions): Promise<Instance> | Instance {
  if (task.definition.proctor.generator === undefined) return makeInstance(task, { seed, difficulty });
  return withScratchService(({ parts }) => drawInstance(parts, task, { seed, difficulty }));
}

async function writeWorkspace(folder: string, instance: Instance): Promise<void> {
  const names = await readdir(folder).catch((thrown) => {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw new ProctorError('bad-request', `${folder} cannot be used`, {}, { cause: thrown });
  });
  if (names.length > 0) throw new ProctorError('conflict', `${folder} is not empty`);
  for (const file of instance.files) {
    await mkdir(dirname(join(folder, file.path)), { recursive: true });
    await writeFile(join(folder, file.path), file.bytes, { mode: file.mode });
  }
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'INSTRUCTION.md'), instance.instruction);
}

function toJson(instance: Instance): Record<string, unknown> {
  const { taskDigest, seed, seedDrawn, parameters, digest, draws, instruction, environment, decoys, files } = instance;
  const listing = files.map(({ path, mode, bytes }) => ({ path, mode, contentBase64: bytes.toString('base64') }));
  const drawn = { taskDigest, seed, seedDrawn, digest, difficulty: draws.difficulty, parameters };
  return { ...drawn, instruction, environment, decoys, files: listing };
}

function printInstance(instance: Instance): void {
  console.log(`seed    ${instance.seed}${instance.seedDrawn ? ' (drawn)' : ''}`);
  console.log(`digest  ${instance.digest}`);
  if (instance.draws.difficulty !== null) console.log(`level   ${instance.draws.difficulty}`);
  for (const { path, bytes } of instance.files) console.log(`file    ${path} (${bytes.length} bytes)`);
  console.log(`\n${instance.instruction}`);
}
