import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { errnoOf, ProctorError } from '../../platform/base/errors.ts';
import { type Expectation, expectationSchema } from './expectation.ts';

/** A labelled submission to a fixture task. */
export interface Submission {
  readonly task: string;
  readonly name: string;
  readonly taskFolder: string;
  /** Files that are laid over the workspace. */
  readonly folder: string;
  readonly expectation: Expectation;
}

/** All submissions of all fixture tasks, in order of names. `only` keeps tasks (or `task/submission`) that begin so. */
export async function readFixtures(fixtureFolder: string, only: readonly string[]): Promise<readonly Submission[]> {
  const submissions: Submission[] = [];
  for (const task of (await readdir(fixtureFolder)).sort()) {
    const taskFolder = join(fixtureFolder, task);
    for (const name of await namesIn(join(taskFolder, 'submissions'))) {
      if (only.length > 0 && !only.some((wanted) => `${task}/${name}`.startsWith(wanted))) continue;
      submissions.push(await readSubmission({ task, taskFolder, name }));
    }
  }
  if (submissions.length > 0) return submissions;
  throw new ProctorError(
    'not-found',
    `no submissions in ${fixtureFolder}${only.length > 0 ? ` named ${only.join(', ')}` : ''}`,
  );
}

/** The reference is the task's own solution, also one that is remembered; every other submission brings its files, or none. */
async function readSubmission(of: { task: string; taskFolder: string; name: string }): Promise<Submission> {
  const labelled = join(of.taskFolder, 'submissions', of.name);
  const expectation = await readExpectation(labelled);
  const isSolution = expectation.kind === 'reference' || expectation.remembers !== undefined;
  const folder = isSolution ? join(of.taskFolder, 'solution') : join(labelled, 'files');
  return { ...of, folder, expectation };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).then(
    (names) => names.sort(),
    (thrown) => {
      if (errnoOf(thrown) === 'ENOENT' || errnoOf(thrown) === 'ENOTDIR') return [];
      throw thrown;
    },
  );
}

async function readExpectation(folder: string): Promise<Expectation> {
  const path = join(folder, 'expect.toml');
  const parsed = expectationSchema.safeParse(parse(await readFile(path, 'utf8')));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new ProctorError('bad-request', `${path}: ${faults}`);
}
