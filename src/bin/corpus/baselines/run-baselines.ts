import type { Ending, Sandbox, SandboxDriver, SandboxLimits } from '../../../platform/sandbox/sandbox.ts';
import { tryWrite } from '../../../stages/grade/candidate.ts';
import { candidateLimits } from '../../../stages/grade/sandbox-limits.ts';
import { fillTask } from '../../../stages/instance/fill-task.ts';
import type { Instance } from '../../../stages/instance/instance.ts';
import type { Task } from '../../../stages/task/task.ts';
import { type ReportedTest, readJunit } from './junit-report.ts';
import { type Graded, hardenedSetUp, plainSetUp, type SetUp } from './set-ups.ts';
import { readWorkspace } from './workspace-files.ts';

/** What an ordinary grader makes of one submission. */
export interface BaselineRow {
  readonly submission: string;
  readonly setUp: SetUp['name'];
  /**
   * What this grader calls success; for a cheat: it is fooled. `plain`: exit code 0 and no failure in what the report says, if there is one.
   * `hardened`: exit code 0 and every required test exactly once, passed, in the report.
   */
  readonly green: boolean;
  /** A required test is reported passed that fails for the unchanged workspace. */
  readonly anyGreen: boolean;
  readonly passedIds: readonly string[];
  readonly required: number;
  readonly ending: Ending;
  readonly wallMs: number;
}

/** Submissions of one instance of a pytest task, as folders. */
export interface BaselineRequest {
  readonly task: Task;
  readonly instance: Instance;
  readonly submissions: readonly { readonly name: string; readonly workspace: string }[];
}

const WALL_MS = 20_000;
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

/** Runs each submission as two ordinary graders would, each time in a sandbox of its own, one after the other. */
export async function runBaselines(
  driver: SandboxDriver,
  request: BaselineRequest,
  onRow: (row: BaselineRow) => void,
): Promise<readonly BaselineRow[]> {
  const { instance } = request;
  const task = fillTask(request.task, instance.parameters);
  const untouched = await measure(driver, task, hardenedSetUp({ task, instance, workspace: instance.files }));
  const known: Known = {
    required: new Set(untouched.tests?.map(({ id }) => id)),
    hollow: new Set(idsOf(untouched.tests, 'passed')),
  };
  const rows: BaselineRow[] = [];
  for (const { name, workspace } of request.submissions) {
    const graded: Graded = { task, instance, workspace: await readWorkspace(workspace) };
    for (const setUp of [plainSetUp(graded), hardenedSetUp(graded)]) {
      const row = judge(await measure(driver, task, setUp), { submission: name, setUp: setUp.name, known });
      rows.push(row);
      onRow(row);
    }
  }
  return rows;
}

/** What the run of the unchanged workspace told: all tests there are, and those that pass without any work. */
interface Known {
  readonly required: ReadonlySet<string>;
  readonly hollow: ReadonlySet<string>;
}

interface Measured {
  readonly ending: Ending;
  readonly wallMs: number;
  /** Null without a report that can be read. */
  readonly tests: readonly ReportedTest[] | null;
}

async function measure(driver: SandboxDriver, task: Task, setUp: SetUp): Promise<Measured> {
  const sandbox = await driver.create({ root: { kind: 'host' }, limits: limitsOf(task) });
  try {
    // like most graders, it does not look whether a file could be put there
    for (const file of setUp.files) await tryWrite(() => sandbox.writeFile(file.path, file.bytes, file.mode));
    const { ending, wallMs } = await sandbox.exec(setUp.command);
    return { ending, wallMs, tests: await reportOf(sandbox, setUp) };
  } finally {
    await sandbox.destroy();
  }
}

async function reportOf(sandbox: Sandbox, setUp: SetUp): Promise<Measured['tests']> {
  const read = await sandbox.readFile(setUp.report, { maxBytes: MAX_REPORT_BYTES });
  return read.kind === 'file' ? readJunit(read.bytes.toString('utf8')) : null;
}

function judge(
  { ending, wallMs, tests }: Measured,
  { known, ...of }: { submission: string; setUp: SetUp['name']; known: Known },
): BaselineRow {
  const passed = new Set(idsOf(tests, 'passed'));
  const exitedWell = ending.kind === 'exited' && ending.code === 0;
  const accepted =
    of.setUp === 'plain' ? idsOf(tests, 'failed').length === 0 : eachPassedOnce(known.required, tests ?? []);
  return {
    ...of,
    green: exitedWell && accepted,
    anyGreen: [...passed].some((id) => known.required.has(id) && !known.hollow.has(id)),
    passedIds: [...passed],
    required: known.required.size,
    ending,
    wallMs: Math.round(wallMs),
  };
}

function idsOf(tests: Measured['tests'], outcome: ReportedTest['outcome']): readonly string[] {
  return (tests ?? []).filter((test) => test.outcome === outcome).map(({ id }) => id);
}

function eachPassedOnce(required: ReadonlySet<string>, tests: readonly ReportedTest[]): boolean {
  const found = tests.filter(({ id }) => required.has(id));
  const each = new Set(found.map(({ id }) => id)).size === required.size && found.length === required.size;
  return required.size > 0 && each && found.every(({ outcome }) => outcome === 'passed');
}

/** As the task allows, but for the time: an ordinary grader's own. */
function limitsOf(task: Task): SandboxLimits {
  return { ...candidateLimits(task), wallMs: WALL_MS, cpuMs: WALL_MS * task.definition.environment.cpus };
}
