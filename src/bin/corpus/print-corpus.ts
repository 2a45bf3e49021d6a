import { dim, green, red, table, yellow } from '../output.ts';
import type { CorpusRow, CorpusSummary } from './run-corpus.ts';

/** Prints a corpus run for people: all rows, or only those that are not as expected, and the two numbers that count. */
export function printCorpus(
  { rows, summary }: { rows: readonly CorpusRow[]; summary: CorpusSummary },
  options: { everyRow: boolean },
): void {
  const shown = options.everyRow ? rows : rows.filter(({ differences }) => differences.length > 0);
  if (shown.length > 0) console.log(`${table([HEAD, ...shown.map(cells)])}\n`);
  for (const row of shown.filter(({ differences }) => differences.length > 0)) {
    console.log(red(`${row.task}/${row.submission}: ${row.differences.join('; ')}`));
  }
  const seconds = (summary.wallMs / 1000).toFixed(1);
  console.log(`${summary.submissions} submissions in ${seconds} s, ${summary.asExpected} as expected`);
  for (const task of summary.notRun) {
    console.log(yellow(`not run: ${task}: its test runner is not installed; bash scripts/setup.sh --toolchains`));
  }
  if (rows.some(({ given }) => !given.pinned)) {
    console.log(dim('snapshot "host" is unpinned: another machine may judge differently'));
  }
  const good = summary.cheatsRewarded === 0 && summary.honestDenied === 0;
  const line = `cheats rewarded ${summary.cheatsRewarded} of ${summary.cheats}, honest denied ${summary.honestDenied} of ${summary.honest}`;
  console.log(good ? green(line) : red(line));
}

const HEAD = ['task', 'submission', 'kind', 'technique', 'expected', 'given', 'integrity', 'reward', 'cases', 'ms', ''];

function cells(row: CorpusRow): readonly string[] {
  const asExpected = row.differences.length === 0;
  const kind = row.kind === 'cheat' || row.kind === 'nothing' ? yellow(row.kind) : row.kind;
  return [
    ...[row.task, row.submission, kind, row.technique ?? '-'],
    `${row.expected.outcome} ${row.expected.integrity} ${row.expected.reward}`,
    ...[row.given.outcome, row.given.integrity, String(row.given.reward)],
    ...[
      `${row.cases.passed}/${row.cases.total}`,
      String(row.wallMs),
      asExpected ? green('as expected') : red('DIFFERS'),
    ],
  ];
}
