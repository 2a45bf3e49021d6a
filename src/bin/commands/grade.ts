import { Command } from 'commander';
import { awaitReward } from '../../pipeline/await-reward.ts';
import { submit } from '../../pipeline/submit.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { GradeRow } from '../../stages/grade/grade.ts';
import { findGrade } from '../../stages/grade/grade-store.ts';
import { saveInstance } from '../../stages/instance/instance-store.ts';
import { makeInstance } from '../../stages/instance/make-instance.ts';
import type { RewardRow } from '../../stages/reward/reward.ts';
import { findScreening } from '../../stages/signal/screening-store.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import type { VerdictRow } from '../../stages/verdict/verdict.ts';
import { findVerdict } from '../../stages/verdict/verdict-store.ts';
import { EXIT } from '../exit-codes.ts';
import type { Service } from '../open-service.ts';
import { dim, green, onScreen, printJson, progress, red, yellow } from '../output.ts';
import { withService } from '../with-service.ts';

interface GradeOptions {
  readonly artifact: string;
  readonly seed?: string;
  readonly json?: true;
  readonly cases?: true;
}

/** `proctor grade`: grades one folder for one instance of a task, through the whole pipeline. */
export function gradeCommand(): Command {
  return new Command('grade')
    .argument('<task>', 'a task folder')
    .requiredOption('--artifact <folder>', 'the workspace as the agent left it')
    .description('grade what an agent handed in')
    .option('--seed <text>', 'the seed of the instance that the agent worked on; needed when the task has parameters')
    .option('--cases', 'also list every hidden case (may quote hidden values)')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  $ proctor instance fixtures/wordtool --seed demo --out /tmp/work\n  $ proctor grade fixtures/wordtool --seed demo --artifact /tmp/work',
    )
    .action((task: string, options: GradeOptions) => withService((service) => gradeOne(service, task, options)));
}

async function gradeOne(service: Service, folder: string, options: GradeOptions): Promise<void> {
  const { parts, pipeline } = service;
  const task = await loadTask(folder);
  if (options.seed === undefined && Object.keys(task.definition.proctor.parameters).length > 0) {
    throw new ProctorError(
      'bad-request',
      'this task has parameters: give the --seed of the instance that was worked on',
    );
  }
  await saveTask(parts, task);
  const { id: instanceId } = await saveInstance(parts.database, makeInstance(task, options.seed));
  progress(`grading ${options.artifact} …`);
  const artifact = await submit(parts, pipeline, { instanceId, handIn: { folder: options.artifact } });
  const reward = await awaitReward(parts.database, artifact.id);
  progress('');
  const verdict = await findVerdict(parts.database, reward.verdictId);
  const grade = await findGrade(parts.database, verdict.gradeId);
  const screening = await findScreening(parts.database, artifact.id);
  const { files, leftBehind } = artifact.manifest;
  const shown = {
    reward,
    handedIn: { files: files.length, leftBehind: leftBehind.length },
    verdict,
    grade,
    signals: screening?.signals ?? [],
    cases: options.cases === true,
  };
  if (options.json) printJson(toJson(shown));
  else print(shown);
  process.exitCode = exitCode(verdict);
}

interface Shown {
  readonly reward: RewardRow;
  readonly handedIn: { readonly files: number; readonly leftBehind: number };
  readonly verdict: VerdictRow;
  readonly grade: GradeRow;
  readonly signals: readonly {
    kind: string;
    severity: string;
    summary: string;
    evidence: readonly { path: string; detail: string }[];
  }[];
  readonly cases: boolean;
}

function toJson({ reward, handedIn, verdict, grade, signals, cases }: Shown): Record<string, unknown> {
  const { cases: results, ...body } = grade.body.kind === 'measured' ? grade.body : { ...grade.body, cases: undefined };
  return {
    submissionId: reward.artifactId,
    handedIn,
    verdictId: verdict.id,
    verdict: verdict.body,
    reward: reward.body,
    grade: cases ? grade.body : body,
    ...(cases ? {} : { caseStatuses: results?.map(({ id, status }) => ({ id, status })) ?? [] }),
    signals,
  };
}

function print(shown: Shown): void {
  printVerdict(shown);
  for (const signal of shown.signals) {
    console.log(`signal     ${signal.kind} (${signal.severity}): ${signal.summary}`);
    for (const { path, detail } of signal.evidence.slice(0, 5)) console.log(dim(`           ${path}  ${detail}`));
  }
  if (shown.cases && shown.grade.body.kind === 'measured') {
    for (const { id, status, note } of shown.grade.body.cases)
      console.log(`${id.padEnd(9)}  ${status}${note && `  ${onScreen(note)}`}`);
  }
  console.log(dim(`verdict    ${shown.verdict.id}`));
}

function printVerdict({ reward, handedIn, verdict, grade }: Shown): void {
  const { outcome, integrity, assurance, fault, pinned, reason, cases } = verdict.body;
  const colour = { passed: green, failed: red, ungraded: yellow }[outcome];
  const unpinned = pinned ? '' : dim('  (snapshot "host" is unpinned: another machine may judge differently)');
  const masked = reward.body.maskSample ? '  masked: do not train on this' : '';
  const nothing = handedIn.files === 0 ? yellow('  nothing that the task asks for was there') : '';
  console.log(`handed in  ${handedIn.files} file(s), ${handedIn.leftBehind} left behind${nothing}`);
  console.log(`outcome    ${colour(outcome)} (${cases.passed} of ${cases.total} cases right)`);
  console.log(`integrity  ${integrity === 'clean' ? green(integrity) : yellow(integrity)}`);
  console.log(`assurance  ${assurance ?? '-'}${unpinned}`);
  const why = grade.body.kind === 'ungraded' ? grade.body.message : reason;
  console.log(`fault      ${fault}${why === null ? '' : `: ${why}`}`);
  console.log(`reward     ${reward.body.reward}  weight ${reward.body.trainWeight}${masked}`);
}

function exitCode({ body }: VerdictRow): number {
  if (body.outcome === 'ungraded') return body.fault === 'task' ? EXIT.caller : EXIT.platform;
  return body.outcome === 'passed' && body.integrity !== 'violated' ? EXIT.ok : EXIT.differs;
}
