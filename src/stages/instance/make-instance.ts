import { randomBytes } from 'node:crypto';
import { digestOf, digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Task, TaskFile } from '../task/task.ts';
import { isTemplate } from '../task/template.ts';
import { drawParameters } from './generators.ts';
import { type Instance, type ParameterValue, seedSchema, type WorkspaceFile } from './instance.ts';
import { render } from './render.ts';

type Parameters = Readonly<Record<string, ParameterValue>>;

const ENVIRONMENT = 'environment/';
/** Files that describe the environment to Harbor; they are not part of the workspace. */
const BUILD_FILES = ['environment/Dockerfile', 'environment/docker-compose.yaml'];

/**
 * Makes a task concrete. Pure, apart from drawing a seed (128 bits from the system's CSPRNG) when none is given:
 * the same task and seed give the same bytes and digest on every machine.
 */
export function makeInstance(task: Task, givenSeed?: string): Instance {
  const seed = givenSeed ?? randomBytes(16).toString('hex');
  const checked = seedSchema.safeParse(seed);
  if (!checked.success) throw new ProctorError('bad-request', checked.error.issues[0]?.message ?? 'not a seed');
  const parameters = drawParameters(task.definition.proctor, { seed }).values;
  const files = workspaceFiles(task, parameters);
  const instruction = renderInstruction(task, parameters);
  const listing = files.map(({ path, mode, bytes }) => ({ path, mode, sha256: digestOf(bytes) }));
  const content = { task: task.digest, parameters, instruction: digestOf(instruction), files: listing };
  return {
    taskDigest: task.digest,
    seed,
    seedDrawn: givenSeed === undefined,
    parameters,
    instruction,
    files,
    digest: digestOfJson({ format: 'proctor/instance/1', ...content }),
  };
}

function workspaceFiles(task: Task, parameters: Parameters): readonly WorkspaceFile[] {
  return task.files
    .filter((file) => file.path.startsWith(ENVIRONMENT) && !BUILD_FILES.includes(file.path))
    .map((file) => renderFile({ ...file, path: file.path.slice(ENVIRONMENT.length) }, parameters));
}

function renderInstruction(task: Task, parameters: Parameters): string {
  const file = task.files.find(({ path }) => path === 'instruction.md');
  return render(file?.bytes.toString('utf8') ?? '', 'instruction.md', parameters);
}

/** A file of the task as the subject gets it: templates filled and without their suffix. */
export function renderFile(file: TaskFile, parameters: Parameters): WorkspaceFile {
  if (!isTemplate(file.path) || !file.path.endsWith('.tmpl')) return file;
  const text = render(file.bytes.toString('utf8'), file.path, parameters);
  return { ...file, path: file.path.slice(0, -'.tmpl'.length), bytes: Buffer.from(text) };
}
