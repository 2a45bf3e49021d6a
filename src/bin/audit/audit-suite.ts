import { join } from 'node:path';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import { newId } from '../../platform/base/ids.ts';
import { collectFolder } from '../../stages/artifact/collect-folder.ts';
import type { SuiteReport } from '../../stages/grade/grade-pytest.ts';
import { recordSuite } from '../../stages/grade/record-suite.ts';
import type { RequiredTests } from '../../stages/grade/required-tests.ts';
import { fillTask } from '../../stages/instance/fill-task.ts';
import type { Instance } from '../../stages/instance/instance.ts';
import type { Problem } from '../../stages/task/task.ts';
import { runBaselines } from '../corpus/baselines/run-baselines.ts';
import { overlay, placeFiles } from '../corpus/build-workspace.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { unstoredArtifact } from '../unstored-artifact.ts';
import type { Auditing } from './hand-in.ts';

/** What the reference does in a pytest suite: through the split and in one process. */
export interface SuiteAudit {
  /** Tests that pass both ways, each with what the reference was asked for: what tests/required.json is made of. */
  readonly required: RequiredTests;
  /** What the reference gave in each of them, by shape and class. */
  readonly shapes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly problems: readonly Problem[];
}

/** Runs the reference through the split and in one process, and compares test by test. */
export function auditSuite(auditing: Auditing): Promise<SuiteAudit> {
  return withReference(auditing, async ({ instance, workspace, report }) => {
    const { service, task } = auditing;
    const submissions = [{ name: 'reference', workspace }];
    const rows = await runBaselines(service.parts.driver, { task, instance, submissions }, () => undefined);
    const inProcess = rows.find(({ setUp }) => setUp === 'hardened')?.passedIds ?? [];
    return compare(report, new Set(inProcess));
  });
}

/** The tests that the reference passes through the split, by id, with what it was asked for. */
export function requiredBy(auditing: Auditing): Promise<RequiredTests> {
  return withReference(auditing, async ({ report }) => requiredOf(report));
}

interface Reference {
  readonly instance: Instance;
  readonly workspace: string;
  readonly report: SuiteReport;
}

async function withReference<T>(auditing: Auditing, use: (reference: Reference) => Promise<T>): Promise<T> {
  const { service, folder, seed } = auditing;
  const instance = { id: newId('inst'), ...(await drawInstance(service.parts, auditing.task, { seed })) };
  const task = fillTask(auditing.task, instance.parameters);
  return withScratchFolder('audit', async (workspace) => {
    await placeFiles(workspace, instance.files);
    await overlay(workspace, join(folder, 'solution'), instance.parameters);
    const manifest = await collectFolder(workspace, task.definition.proctor.artifact, service.parts.blobs);
    const artifact = unstoredArtifact(instance.id, manifest);
    return use({ instance, workspace, report: await recordSuite(service.parts, { task, instance, artifact }) });
  });
}

/** A test's name as JUnit has it (`tests.test_x.TestIt::test_one[a]`), from pytest's (`test_x.py::TestIt::test_one[a]`). */
function junitName(id: string): string {
  const bracket = id.indexOf('[');
  const names = (bracket === -1 ? id : id.slice(0, bracket)).split('::');
  const file = (names.shift() ?? '').replace(/\.py$/, '').replaceAll('/', '.');
  const test = names.pop() ?? '';
  return `${['tests', file, ...names].join('.')}::${test}${bracket === -1 ? '' : id.slice(bracket)}`;
}

function requiredOf({ results }: SuiteReport): RequiredTests {
  const passed = results.filter(({ status }) => status === 'passed');
  return Object.fromEntries(passed.map(({ id, words, uses }) => [id, { words, uses }]));
}

function compare(report: SuiteReport, inProcess: ReadonlySet<string>): SuiteAudit {
  const required = requiredOf(report);
  const failed = report.results.filter(({ status }) => status !== 'passed' && status !== 'skipped');
  const error = (message: string): Problem => ({ severity: 'error', file: 'tests', message });
  const splitOnly = Object.keys(required).filter((id) => !inProcess.has(junitName(id)));
  return {
    required,
    shapes: Object.fromEntries(report.results.map(({ id, results }) => [id, results])),
    problems: [
      ...report.problems.map(({ id, note }) => error(`${id} cannot be collected: ${lastLine(note)}`)),
      ...failed.map(({ id, status, note }) =>
        error(
          inProcess.has(junitName(id))
            ? `${id} passes in one process and not through the split (${status}): it needs a witnessed run: ${lastLine(note)}`
            : `${id} ${status} for the reference: ${lastLine(note)}`,
        ),
      ),
      ...splitOnly.map(
        (id): Problem => ({
          severity: 'warning',
          file: 'tests',
          message: `${id} passes through the split and not in one process`,
        }),
      ),
    ],
  };
}

function lastLine(note: string): string {
  const lines = note.trim().split('\n');
  return (lines.filter((line) => line.startsWith('E ')).at(0) ?? lines.at(-1) ?? '').slice(0, 300);
}
