import { findTask, findTaskDigest } from '../../stages/task/task-store.ts';
import type { Contamination } from '../../stages/verdict/contamination.ts';
import { type ContaminationReport, reportContamination } from '../../stages/verdict/report-contamination.ts';
import { dim, green, printJson, red, table, yellow } from '../output.ts';
import { withService } from '../with-service.ts';

interface ReportOptions {
  readonly canonical?: string;
  readonly json?: true;
}

/** `proctor task report`: whether a registered task's published instance is known by heart. */
export async function reportTask(name: string, options: ReportOptions): Promise<void> {
  await withService(async ({ parts }) => {
    const task = await findTask(parts, await findTaskDigest(parts.database, name));
    const report = await reportContamination(parts.database, task, options.canonical);
    if (options.json) printJson(report);
    else printReport(report);
  });
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function printReport({ task, canonical_seed: seed, canonical, fresh, gap, ruling }: ContaminationReport): void {
  const row = (what: string, { passed, of, rate, low, high }: Contamination['canonical']) => [
    ...[what, `${passed} of ${of}`, rate === null ? '-' : percent(rate), `${percent(low)} to ${percent(high)}`],
  ];
  console.log(`${task}\n`);
  console.log(
    table([['instance', 'passed', 'rate', '95 %'], row(`published (seed ${seed})`, canonical), row('fresh', fresh)]),
  );
  if (gap !== null) console.log(`\ngap ${percent(gap.value)} (${percent(gap.low)} to ${percent(gap.high)})`);
  console.log(RULINGS[ruling]);
}

const RULINGS: Record<Contamination['ruling'], string> = {
  leaked: red(
    'leaked: the published instance is passed more often than fresh ones; retire it, and look at who passes it',
  ),
  'no-sign': green('no sign of a leak'),
  'too-few': yellow('too few graded hand-ins to say anything') + dim(' (10 of either are needed)'),
};
