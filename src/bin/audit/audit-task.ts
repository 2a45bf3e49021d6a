import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { errnoOf } from '../../platform/base/errors.ts';
import { REQUIRED_FILE, writeRequired } from '../../stages/grade/required-tests.ts';
import { fillTask } from '../../stages/instance/fill-task.ts';
import { renderFile } from '../../stages/instance/render-file.ts';
import { type AuditedTest, type AuditReport, type AuditRun, ruleOn } from '../../stages/task/admission.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { readTaskFiles } from '../../stages/task/read-task-files.ts';
import type { Task, TaskFile } from '../../stages/task/task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import type { Service } from '../open-service.ts';
import { progress } from '../output.ts';
import { attacksOn, hollowFiles } from './attacks.ts';
import { auditSuite, requiredBy, type SuiteAudit } from './audit-suite.ts';
import { findHidden } from './find-hidden.ts';
import { type Auditing, type HandIn, tryHandIn } from './hand-in.ts';

/** How an audit is run. */
export interface AuditOptions {
  readonly seed: string;
  /** How often the reference is graded, to find tests that do not always come out alike. */
  readonly repeats: number;
  /** Whether to keep what the reference needs as tests/required.json. */
  readonly write: boolean;
}

/** Attacks a task before an agent does: runs what must not pass and what must, and looks for what is hidden. */
export async function auditTask(service: Service, folder: string, options: AuditOptions): Promise<AuditReport> {
  const suite = await auditOwnSuite(service, folder, options);
  const task = await loadTask(folder);
  await saveTask(service.parts, task);
  const auditing: Auditing = { service, task, folder, seed: options.seed };
  const solution = await solutionOf(auditing);
  const { files: workspace, parameters } = await drawInstance(service.parts, task, { seed: options.seed });
  const filled = fillTask(task, parameters); // attacks are placed under the names that the instance has
  const trials = await tryAll(auditing, await handInsOf({ ...auditing, task: filled }, solution, options.repeats));
  const tests = trials.find(({ kind }) => kind === 'reference')?.passed ?? [];
  const attacks = await tryAll(auditing, await attacksOn({ task: filled, workspace, solution, tests }));
  const runs = [...trials, ...attacks];
  progress('looking for what is hidden');
  const hidden = await findHidden(service, task, [options.seed, `${options.seed}-2`]);
  progress('');
  const { name, digest } = task;
  return ruleOn({
    ...{ task: name, digest, grader: task.definition.proctor.grader, runs, hidden: [...hidden] },
    ...{ tests: testsOf(task, runs, suite), problems: [...(suite?.problems ?? [])] },
  });
}

/** The reference in a pytest task's suite; keeps what it needs, if asked to, before anything is held to it. */
async function auditOwnSuite(service: Service, folder: string, options: AuditOptions): Promise<SuiteAudit | null> {
  const task = await loadTask(folder);
  if (task.definition.proctor.grader !== 'pytest') return null;
  progress('the reference, through the split and in one process');
  const suite = await auditSuite({ service, task, folder, seed: options.seed });
  const other = await requiredBy({ service, task, folder, seed: `${options.seed}-2` });
  const same = Object.keys(suite.required).join('\n') === Object.keys(other).join('\n');
  if (options.write && same) await writeFile(join(folder, REQUIRED_FILE), writeRequired(suite.required));
  const message = `test ids depend on the seed, so that there can be no ${REQUIRED_FILE}, and no run is oracle that needs one`;
  return same ? suite : { ...suite, problems: [...suite.problems, { severity: 'warning', file: 'tests', message }] };
}

async function tryAll(auditing: Auditing, handIns: readonly HandIn[]): Promise<readonly AuditRun[]> {
  const runs: AuditRun[] = [];
  for (const [index, handIn] of handIns.entries()) {
    progress(`${index + 1} of ${handIns.length}: ${handIn.kind} ${handIn.name}`);
    runs.push(await tryHandIn(auditing, handIn));
  }
  return runs;
}

async function handInsOf(
  { task, folder }: Auditing,
  solution: readonly TaskFile[],
  repeats: number,
): Promise<readonly HandIn[]> {
  const hollow = await hollowFiles(task, solution);
  const variants = await namesIn(join(folder, 'variants'));
  return [
    { kind: 'nothing', name: 'nothing', base: 'nothing' },
    { kind: 'environment', name: 'environment', base: 'environment' },
    ...(hollow === null ? [] : [{ kind: 'hollow', name: 'hollow', base: 'solution', files: hollow } as const]),
    ...Array.from(
      { length: repeats },
      (_, index): HandIn => ({ kind: 'reference', name: `reference ${index + 1}`, base: 'solution' }),
    ),
    ...variants.map(
      (name): HandIn => ({ kind: 'variant', name, base: 'environment', folder: join(folder, 'variants', name) }),
    ),
  ];
}

async function solutionOf({ service, task, folder, seed }: Auditing): Promise<readonly TaskFile[]> {
  const { files } = await readTaskFiles(folder, ['solution']);
  const { parameters } = await drawInstance(service.parts, task, { seed });
  return files.map((file) => renderFile({ ...file, path: file.path.slice('solution/'.length) }, parameters));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((thrown) => {
    if (errnoOf(thrown) === 'ENOENT') return [];
    throw thrown;
  });
}

/** Every test that any run told of, with what makes it weak. */
function testsOf(task: Task, runs: readonly AuditRun[], suite: SuiteAudit | null): AuditedTest[] {
  const references = runs.filter(({ kind }) => kind === 'reference');
  const variants = runs.filter(({ kind }) => kind === 'variant');
  const ids = new Set([...Object.keys(suite?.required ?? {}), ...references.flatMap(({ passed }) => passed)]);
  const passing = (kind: AuditRun['kind'], id: string) =>
    runs.filter((run) => run.kind === kind && run.passed.includes(id));
  return [...ids].sort().map((id): AuditedTest => {
    const told = { words: suite?.required[id]?.words ?? {}, results: suite?.shapes[id] ?? {} };
    const times = references.filter(({ passed }) => passed.includes(id)).length;
    const narrow = variants.filter(({ passed }) => !passed.includes(id)).map(({ name }) => name);
    const weak = [
      ...(passing('nothing', id).length > 0 ? ['passes for nothing'] : []),
      ...(passing('environment', id).length > 0 ? ['passes for the workspace as it is given'] : []),
      ...(passing('hollow', id).length > 0 ? ['passes for right shapes with wrong values'] : []),
      ...passing('attack', id).map(({ name }) => `passes for ${name}`),
      ...(times < references.length ? [`passed ${times} of ${references.length} times for the reference`] : []),
      ...narrow.map((name) => `fails for the honest variant ${name}`),
    ];
    return { id, assurance: times === 0 ? null : assuranceOf(task, told.words), ...told, weak };
  });
}

/** A native suite is witnessed; a split one is too where a word was taken and no profile of the reference's bounds it. */
function assuranceOf(task: Task, words: AuditedTest['words']): 'oracle' | 'witnessed' {
  const bounded = task.files.some(({ path }) => path === REQUIRED_FILE) || Object.keys(words).length === 0;
  return task.definition.proctor.grader === 'native' || !bounded ? 'witnessed' : 'oracle';
}
