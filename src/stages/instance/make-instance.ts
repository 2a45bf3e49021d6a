import { createHash, randomBytes } from 'node:crypto';
import { digestOf, digestOfJson } from '../../platform/base/digest.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { GENERATOR_FILE } from '../task/instance-settings.ts';
import type { Task } from '../task/task.ts';
import { plantDecoys } from './decoys.ts';
import { drawParameters } from './generators.ts';
import {
  INSTANCE_FORMAT,
  type Instance,
  type InstanceRow,
  type Parameters,
  seedSchema,
  type WorkspaceFile,
} from './instance.ts';
import { earlyPlan } from './parameter-plan.ts';
import { render } from './render.ts';
import { renderFiles } from './render-file.ts';

const ENVIRONMENT = 'environment/';
/** Files that describe the environment to Harbor; they are not part of the workspace. */
const BUILD_FILES = ['environment/Dockerfile', 'environment/docker-compose.yaml'];

/** What an instance is made from, beside its task. */
export interface InstanceDraw {
  /** Without it 128 bits are drawn from the system's generator. */
  readonly seed?: string | undefined;
  /** A level of the task's; without it the seed draws one. */
  readonly difficulty?: string | undefined;
  /**
   * From which hidden inputs are drawn. Without it: a random one where the seed is drawn too, else one that follows from the seed, so that a
   * run of a tool can be repeated. Who serves instances gives a random one always.
   */
  readonly drawSecret?: string | undefined;
  /** Whether a seed that is given was drawn by us. */
  readonly seedDrawn?: boolean;
  /** What the task's own generator gave; see {@link GENERATOR_FILE}. */
  readonly generated?: Parameters | undefined;
}

/** A seed that nobody knows: 128 random bits, as text. */
export function newSeed(): string {
  return randomBytes(16).toString('hex');
}

/** 256 random bits, as text. */
export function newDrawSecret(): string {
  return randomBytes(32).toString('hex');
}

/**
 * Makes a task concrete. Pure, apart from what is drawn when it is not given: the same task and draw give the same bytes and digest on
 * every machine. `bad-request` for what is no seed or level, `task-invalid` for what cannot be drawn or filled.
 */
export function makeInstance(task: Task, draw: InstanceDraw = {}): Instance {
  const seed = draw.seed ?? newSeed();
  const checked = seedSchema.safeParse(seed);
  if (!checked.success) throw new ProctorError('bad-request', checked.error.issues[0]?.message ?? 'not a seed');
  const derived = createHash('sha256').update(`proctor/draw-secret/1\0${seed}`).digest('hex');
  const drawSecret = draw.drawSecret ?? (draw.seed === undefined ? newDrawSecret() : derived);
  return makeFormat(
    task,
    { ...draw, seed, drawSecret, format: INSTANCE_FORMAT },
    draw.seedDrawn ?? draw.seed === undefined,
  );
}

/**
 * The instance of a stored row, made again and compared with what was stored: also one that an earlier version made. `digest-mismatch`
 * says what is not as it was.
 */
export function remakeInstance(task: Task, row: InstanceRow): Instance {
  const { seed, drawSecret, format, draws } = row;
  if (format > INSTANCE_FORMAT) {
    throw new ProctorError(
      'digest-mismatch',
      `the instance ${row.id} was made in format ${format}; this version knows formats up to ${INSTANCE_FORMAT}`,
      { id: row.id },
    );
  }
  const given = { seed, drawSecret, format, generated: draws.generated ?? undefined };
  const made = makeFormat(task, { ...given, difficulty: draws.difficulty ?? undefined }, row.seedDrawn);
  if (made.digest === row.digest) return made;
  const names = [...new Set([...Object.keys(made.parameters), ...Object.keys(row.parameters)])];
  const other = names.filter((name) => digestOfJson(made.parameters[name]) !== digestOfJson(row.parameters[name]));
  const what =
    other.length > 0 ? `other values of ${other.join(', ')}` : 'the same parameters but other files or instructions';
  throw new ProctorError(
    'digest-mismatch',
    `the stored instance ${row.id} is not what was stored: its seed gives ${what} (format ${format}, task ${task.digest})`,
    { id: row.id },
  );
}

type Making = Omit<InstanceDraw, 'seed' | 'drawSecret'> & Pick<InstanceRow, 'seed' | 'drawSecret' | 'format'>;

function makeFormat(task: Task, making: Making, seedDrawn: boolean): Instance {
  const { seed, drawSecret, format } = making;
  const { parameters, draws } = drawAll(task, making);
  const own = workspaceFiles(task, parameters);
  const kinds = format === 1 ? [] : task.definition.proctor.decoys.kinds;
  const { decoys, files: planted, environment } = plantDecoys(kinds, seed, new Set(own.map(({ path }) => path)));
  const files = format === 1 ? own : among(own, planted);
  const instruction = renderInstruction(task, parameters);
  const listing = files.map(({ path, mode, bytes }) => ({ path, mode, sha256: digestOf(bytes) }));
  const content = { task: task.digest, parameters, instruction: digestOf(instruction), files: listing };
  const added = format === 1 ? {} : { environment };
  return {
    ...{ taskDigest: task.digest, seed, seedDrawn, parameters, draws, format, drawSecret },
    ...{ instruction, files, environment, decoys },
    digest: digestOfJson({ format: `proctor/instance/${format}`, ...content, ...added }),
  };
}

/** Decoys stand among the task's own files as if they were some of them. */
function among(own: readonly WorkspaceFile[], planted: readonly WorkspaceFile[]): readonly WorkspaceFile[] {
  return [...own, ...planted].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function drawAll(task: Task, { seed, difficulty, generated }: Making): Pick<InstanceRow, 'parameters' | 'draws'> {
  const drawn = drawParameters(earlyPlan(task), { seed, ...(difficulty === undefined ? {} : { difficulty }) });
  const { gives } = task.definition.proctor.generator ?? { gives: [] };
  if (gives.length > 0 && generated === undefined) {
    throw new ProctorError(
      'bad-request',
      `this task has ${GENERATOR_FILE}: its instances are made where sandboxes are`,
    );
  }
  return {
    parameters: { ...drawn.values, ...generated },
    draws: { difficulty: drawn.difficulty, tries: drawn.tries, generated: generated ?? null },
  };
}

function workspaceFiles(task: Task, parameters: Parameters): readonly WorkspaceFile[] {
  const given = task.files
    .filter((file) => file.path.startsWith(ENVIRONMENT) && !BUILD_FILES.includes(file.path))
    .map((file) => ({ ...file, path: file.path.slice(ENVIRONMENT.length) }));
  return renderFiles(given, parameters);
}

function renderInstruction(task: Task, parameters: Parameters): string {
  const file = task.files.find(({ path }) => path === 'instruction.md');
  return render(file?.bytes.toString('utf8') ?? '', 'instruction.md', parameters);
}
