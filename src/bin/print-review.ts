import type { dashboardFacts } from '../stages/review/dashboard-store.ts';
import type { QueuePage } from '../stages/review/queue-store.ts';
import type { CaseRow, RulingRow } from '../stages/review/review.ts';
import type { countQueue } from '../stages/review/review-store.ts';
import type { GroupReport, Ruled } from '../stages/review/ruled.ts';
import { dim, green, onScreen, red, table, yellow } from './output.ts';

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** One page of the queue. Whatever a caller or a sandbox may have written is shown with its control characters visible. */
export function printQueue({ cases, next }: QueuePage, counts: Awaited<ReturnType<typeof countQueue>>): void {
  console.log(`${counts.open} open, ${counts.secondOpinion} ask for a second opinion, ${counts.claimed} are claimed`);
  if (cases.length === 0) return;
  const rows = cases.map(({ id, priority, cause, ruling, claimedBy, waiting, group }) => [
    ...[id, priority.toFixed(2), cause, ruling ?? '-', onScreen(claimedBy ?? '-'), String(waiting), onScreen(group)],
  ]);
  console.log(`\n${table([['case', 'priority', 'cause', 'ruling', 'claimed by', 'alike', 'group'], ...rows])}`);
  if (next !== null) console.log(dim(`\nmore: --after ${next}`));
}

/** One case with its rulings. */
export function printCase(found: CaseRow, rulings: readonly RulingRow[]): void {
  const { id, why, task, runId, artifactId, verdictId, group, waiting, severity, uncertainty, priority } = found;
  console.log(`${id}\n${onScreen(why)}\n`);
  console.log(
    table([
      ['task', onScreen(task)],
      ['run', onScreen(runId ?? '-')],
      ['submission', artifactId],
      ['verdict', verdictId],
      ['group', `${onScreen(group)} (${waiting} open)`],
      ['priority', `${priority.toFixed(2)} = severity ${severity} × uncertainty ${uncertainty} × the group's size`],
      ['opened', found.openedAt.toISOString()],
      ['closed', found.closedAt?.toISOString() ?? '-'],
      ['claimed by', onScreen(found.claimedBy ?? '-')],
    ]),
  );
  for (const ruling of rulings) console.log(`\n${lineOf(ruling)}`);
}

/** What came of a ruling. */
export function printRuled({ ruling, amended, case: found }: Ruled): void {
  console.log(lineOf(ruling));
  if (amended !== null) console.log(green(`verdict ${amended.verdictId} and reward ${amended.rewardId} stand now`));
  if (found.closedAt === null) console.log(yellow(`${found.id} is open`));
}

/** What became of each case of a group. */
export function printReports(reports: readonly GroupReport[]): void {
  for (const { caseId, problem } of reports) {
    console.log(problem === null ? `${caseId}  ${green('ruled')}` : `${caseId}  ${red(onScreen(problem.message))}`);
  }
  console.log(`${reports.filter(({ problem }) => problem === null).length} of ${reports.length} ruled`);
}

/** The dashboard as tables. */
export function printDashboard(facts: Awaited<ReturnType<typeof dashboardFacts>>): void {
  const { queue, days, rules, techniques, tasks } = facts;
  console.log(
    `${queue.open} open; the oldest for ${queue.oldestHours.toFixed(1)} h, half of them for ${queue.medianHours.toFixed(1)} h`,
  );
  section(
    'rule',
    ['ruled', 'cheats', 'precision', '95 %'],
    rules.map(({ rule, of, cheats, precision, low, high }) => [
      ...[
        rule,
        String(of),
        String(cheats),
        precision === null ? '-' : percent(precision),
        `${percent(low)} to ${percent(high)}`,
      ],
    ]),
  );
  section(
    'technique',
    ['cheats'],
    techniques.map(({ technique, cheats }) => [technique, String(cheats)]),
  );
  section(
    'task',
    ['cheats', 'honest', 'defects', 'faults'],
    tasks.map(({ task, cheats, honest, defects, faults }) => [
      ...[onScreen(task), ...[cheats, honest, defects, faults].map(String)],
    ]),
  );
  section(
    'day',
    ['rewards', 'flagged', 'masked', 'mean weight'],
    days.map((day) => [
      ...[day.day, String(day.rewards), percent(day.flaggedShare), percent(day.maskedShare), day.meanWeight.toFixed(3)],
    ]),
  );
}

function section(what: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length > 0) console.log(`\n${table([[what, ...columns], ...rows])}`);
}

function lineOf({ at, reviewer, ruling, technique, note, undoes, bulk }: RulingRow): string {
  const what = undoes === null ? ruling : `took back ${ruling}`;
  const how = [technique, bulk ? 'with its group' : null].filter((part) => part !== null).join(', ');
  const head = `${at.toISOString()}  ${onScreen(reviewer)}: ${what}${how === '' ? '' : ` (${how})`}`;
  return note === '' ? head : `${head}\n  ${onScreen(note)}`;
}
