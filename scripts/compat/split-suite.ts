import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { withScratchFolder } from '../../src/bin/scratch-folder.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { SandboxDriver, SandboxLimits } from '../../src/platform/sandbox/sandbox.ts';
import { inFreshSandboxes } from '../../src/stages/grade/fresh-sandboxes.ts';
import type { CaseResult } from '../../src/stages/grade/grade.ts';
import { everyCaseOnce } from '../../src/stages/grade/grade-artifact.ts';
import { gradeReport, runSuite, type SuiteReport } from '../../src/stages/grade/grade-pytest.ts';
import type { GraderTools } from '../../src/stages/grade/grader-tools.ts';
import type { RequiredTests } from '../../src/stages/grade/required-tests.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import type { Task, TaskFile } from '../../src/stages/task/task.ts';
import type { RealPackage } from './packages.ts';

const MEBIBYTE = 1024 ** 2;
const SUITE_SECONDS = 300;
const CASE_SECONDS = 20;
const LIMITS: SandboxLimits = {
  wallMs: (SUITE_SECONDS + 60) * 1000,
  cpuMs: (SUITE_SECONDS + 60) * 1000,
  memoryBytes: 1024 * MEBIBYTE,
  processes: 64,
  outputBytes: 64 * MEBIBYTE,
  fileBytes: 64 * MEBIBYTE,
  diskBytes: 256 * MEBIBYTE,
};

/** Where suites are run: real sandboxes with the graders of this repository. */
export interface Place {
  readonly driver: SandboxDriver;
  readonly tools: GraderTools;
}

/** A suite, what it is run against, and the reference's profile where this is a grade and not the reference itself. */
export interface SplitRun {
  readonly task: Task;
  readonly artifact: readonly TaskFile[];
  readonly required: RequiredTests | null;
}

/** What came of it: one result for each required test, or for each test that was collected. */
export interface SplitResult {
  readonly cases: readonly CaseResult[];
  readonly words: ReadonlyMap<string, Record<string, number>>;
  readonly uses: ReadonlyMap<string, string[]>;
  readonly problems: SuiteReport['problems'];
  readonly seconds: number;
}

/** The task whose hidden tests are the suite of a package in the cache folder. */
export async function taskOf({ name, modules }: RealPackage, cache: string): Promise<Task> {
  return withScratchFolder('compat', async (folder) => {
    const definition = [
      ...[`[task]`, `name = "compat/${name}"`, `[verifier]`, `timeout_sec = ${SUITE_SECONDS}`],
      ...[`[environment]`, `memory_mb = 1024`, `[proctor]`, `grader = "pytest"`, `case_timeout_sec = ${CASE_SECONDS}`],
      ...[`[proctor.pytest]`, `modules = ${JSON.stringify(modules)}`, `roots = ["."]`, ''],
    ];
    await writeFile(join(folder, 'task.toml'), definition.join('\n'));
    await writeFile(join(folder, 'instruction.md'), `Write ${name}.\n`);
    await mkdir(join(folder, 'environment'));
    await cp(join(cache, name, 'tests'), join(folder, 'tests'), { recursive: true });
    return loadTask(folder);
  });
}

/** The files of a package in the cache folder. */
export async function artifactOf({ name }: RealPackage, cache: string): Promise<readonly TaskFile[]> {
  const root = join(cache, name, 'artifact');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.sort().map(async (path) => ({
      path: relative(root, path),
      mode: (await stat(path)).mode & 0o777,
      bytes: await readFile(path),
    })),
  );
}

/** Runs a suite in two fresh sandboxes by the code that grades, and counts it as a grade does. */
export async function runThroughSplit({ driver, tools }: Place, run: SplitRun): Promise<SplitResult> {
  const limits = { examiner: LIMITS, candidate: LIMITS };
  return inFreshSandboxes(
    { driver, tools, root: { kind: 'host' }, isolation: 'namespaced', limits },
    async (examinerBox, candidate) => {
      for (const file of run.artifact) await candidate.writeFile(file.path, file.bytes, file.mode);
      const instance = { id: newId('inst'), ...makeInstance(run.task, { seed: 'compat' }) };
      const startedMs = performance.now();
      const report = await runSuite(
        {
          ...{ task: run.task, instance, hiddenSeed: 'compat', driver, examinerBox, candidate },
          ...{ keepStderr: () => {}, endPhase: () => {} },
        },
        { record: run.required === null, required: run.required },
      );
      const seconds = (performance.now() - startedMs) / 1000;
      const { required, results } = gradeReport(report, run.required);
      const words = new Map(report.results.map((result) => [result.id, result.words]));
      const uses = new Map(report.results.map((result) => [result.id, result.uses]));
      return { cases: everyCaseOnce(required, results), words, uses, problems: report.problems, seconds };
    },
  );
}
