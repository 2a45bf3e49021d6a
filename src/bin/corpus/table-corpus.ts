import { readFile, writeFile } from 'node:fs/promises';
import type { SandboxDriver } from '../../platform/sandbox/sandbox.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { progress, red } from '../output.ts';
import { compareTechniques } from './compare-techniques.ts';
import type { Submission } from './read-fixtures.ts';
import type { CorpusRow } from './run-corpus.ts';
import {
  byTechnique,
  driftOf,
  type TechniqueRecord,
  techniqueMarkdown,
  techniqueRecordSchema,
  techniquesFooling,
} from './technique-table.ts';

/** So many techniques must fool a plain grader in the same run, or the comparison proves nothing. */
const PLAIN_FOOLED = 40;
const VERSIONS = 'import json, platform, pytest; print(json.dumps([platform.python_version(), pytest.__version__]))';

interface TableRequest {
  readonly submissions: readonly Submission[];
  readonly rows: readonly CorpusRow[];
  readonly seed: string;
  readonly json?: true;
  readonly write?: string;
  readonly check?: string;
  readonly onRow: (name: string, done: number, total: number) => void;
}

/** The submissions to tasks with a hidden pytest suite. */
export async function ofSuites(submissions: readonly Submission[]): Promise<readonly Submission[]> {
  const suites = new Set<string>();
  for (const folder of new Set(submissions.map(({ taskFolder }) => taskFolder))) {
    if ((await loadTask(folder)).definition.proctor.grader === 'pytest') suites.add(folder);
  }
  return submissions.filter(({ taskFolder }) => suites.has(taskFolder));
}

/** Compares, prints the table, keeps or checks it. `holds` is false when Proctor was fooled, the plain grader too seldom, or the record differs. */
export async function tableCorpus(
  driver: SandboxDriver,
  request: TableRequest,
): Promise<{ record: TechniqueRecord; holds: boolean }> {
  const cheats = await compareTechniques(driver, request);
  progress('');
  const [python, pytest] = await versions(driver);
  const record: TechniqueRecord = { seed: request.seed, python, pytest, cheats: [...cheats] };
  if (!request.json) console.log(`${techniqueMarkdown(record)}\n`);
  if (request.write !== undefined) await writeFile(request.write, `${JSON.stringify(record, null, 1)}\n`);
  const kept = request.check === undefined ? record : await readRecord(request.check);
  const faults = [...faultsOf(record), ...driftOf(kept, record)];
  for (const fault of faults) console.error(red(fault));
  return { record, holds: faults.length === 0 };
}

/** Reads a kept comparison. */
export async function readRecord(file: string): Promise<TechniqueRecord> {
  return techniqueRecordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

function faultsOf({ cheats }: TechniqueRecord): readonly string[] {
  const plain = techniquesFooling(byTechnique(cheats), 'plain').any;
  const rewarded = cheats.filter(({ proctor }) => proctor === 'whole');
  return [
    ...rewarded.map(({ task, submission }) => `${task}/${submission} was rewarded`),
    ...(plain < PLAIN_FOOLED ? [`only ${plain} techniques fool plain pytest, ${PLAIN_FOOLED} must`] : []),
  ];
}

async function versions(driver: SandboxDriver): Promise<readonly [string, string]> {
  const limits = {
    wallMs: 20_000,
    cpuMs: 20_000,
    memoryBytes: 2 ** 28,
    processes: 16,
    outputBytes: 65_536,
    fileBytes: 2 ** 20,
    diskBytes: 2 ** 22,
  };
  const sandbox = await driver.create({ root: { kind: 'host' }, limits });
  try {
    const { stdout } = await sandbox.exec({ argv: ['/usr/bin/python3', '-I', '-c', VERSIONS] });
    return JSON.parse(stdout.toString('utf8'));
  } finally {
    await sandbox.destroy();
  }
}
