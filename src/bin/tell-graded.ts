import { awaitReward } from '../pipeline/await-reward.ts';
import { findArtifact } from '../stages/artifact/artifact-store.ts';
import type { GradeRow } from '../stages/grade/grade.ts';
import { findGrade } from '../stages/grade/grade-store.ts';
import type { RewardRow } from '../stages/reward/reward.ts';
import { findScreening } from '../stages/signal/screening-store.ts';
import type { VerdictRow } from '../stages/verdict/verdict.ts';
import { findVerdict } from '../stages/verdict/verdict-store.ts';
import { EXIT } from './exit-codes.ts';
import type { Service } from './open-service.ts';
import { dim, green, onScreen, printJson, progress, red, yellow } from './output.ts';

/** How it is told. */
export interface TellOptions {
  readonly json?: true;
  /** Also every hidden case. */
  readonly cases?: true;
  /** Stands beside it in the JSON document. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** Waits for the reward of a hand-in, tells what it was given and why, and sets the exit code. */
export async function tellGraded(
  { database }: Pick<Service['parts'], 'database'>,
  artifactId: string,
  options: TellOptions,
): Promise<void> {
  const reward = await awaitReward(database, artifactId);
  progress('');
  const artifact = await findArtifact(database, artifactId);
  const verdict = await findVerdict(database, reward.verdictId);
  const grade = await findGrade(database, verdict.gradeId);
  const screening = await findScreening(database, artifactId);
  const { files, leftBehind } = artifact.manifest;
  const shown = {
    reward,
    handedIn: { files: files.length, leftBehind: leftBehind.length },
    verdict,
    grade,
    signals: screening?.signals ?? [],
    cases: options.cases === true,
  };
  if (options.json) printJson({ ...options.beside, ...toJson(shown) });
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
