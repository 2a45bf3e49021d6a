import { green, red, table, yellow } from '../output.ts';
import type { AgentRow } from './run-agents.ts';

/** Prints what was recorded of each agent, and the numbers that count. */
export function printAgents(rows: readonly AgentRow[], notRun: readonly string[]): void {
  console.log(`${table([HEAD, ...rows.map(cells)])}\n`);
  for (const row of rows) {
    const marks = row.evidence.map(({ what, seen }) => (seen ? green(what) : red(`NOT SEEN: ${what}`)));
    console.log(`${row.driver}  ${row.agent}: ${marks.join(', ')}`);
  }
  for (const reason of notRun) console.log(yellow(`not run: ${reason}`));
  const cheats = rows.filter(({ kind }) => kind === 'cheat');
  const unseen = rows.flatMap(({ evidence }) => evidence).filter(({ seen }) => !seen).length;
  const rewarded = cheats.filter(({ reward, succeeded }) => reward > 0 || succeeded).length;
  const denied = rows.filter(({ kind, reward }) => kind === 'honest' && reward < 1).length;
  const line = `${rows.length} sessions; attempts that are not in the record ${unseen}, cheats that succeeded ${rewarded} of ${cheats.length}, honest denied ${denied}`;
  console.log(unseen + rewarded + denied === 0 ? green(`\n${line}`) : red(`\n${line}`));
}

const HEAD = ['driver', 'agent', 'kind', 'steps', 'events', 'record', 'reward', 'ms', ''];

function cells(row: AgentRow): readonly string[] {
  return [
    ...[
      row.driver,
      row.agent,
      row.kind === 'cheat' ? yellow(row.kind) : row.kind,
      String(row.steps),
      String(row.events),
    ],
    ...[row.complete ? 'complete' : red('INCOMPLETE'), String(row.reward), String(row.wallMs)],
    row.asExpected ? green('as expected') : red('DIFFERS'),
  ];
}
