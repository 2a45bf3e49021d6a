import { Command, Option } from 'commander';
import { addCosts } from '../../pipeline/cost.ts';
import { COST_BY, type Cost, type CostBy } from '../../stages/dataset/cost.ts';
import { moment } from '../option-values.ts';
import { onScreen, printJson, table } from '../output.ts';
import { withDatabase } from '../with-service.ts';

interface CostOptions {
  readonly by: CostBy;
  readonly run?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly json?: true;
}

/** `proctor cost`: what ended sessions used. */
export function costCommand(): Command {
  return new Command('cost')
    .description('what ended sessions used: reported tokens, seconds of sandboxes, bytes of output')
    .addOption(new Option('--by <what>', 'what they are added up by').choices([...COST_BY]).default('task'))
    .option('--run <name>', 'sessions of this run only')
    .option('--since <moment>', 'opened from then on', moment)
    .option('--until <moment>', 'opened before', moment)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor cost --by policy --since 2026-11-01')
    .action(({ by, run, since, until, json }: CostOptions) =>
      withDatabase(async (database) => {
        const runs = run === undefined ? undefined : [run];
        const ledger = await addCosts({ database }, by, { runs, since, until });
        if (json) {
          printJson({ by, rows: ledger.rows(), total: ledger.total() });
          return;
        }
        const head = [by, 'sessions', 'steps', 'tokens', 'untold', 'acting s', 'idle s', 'output bytes', 'retried s'];
        const rows = ledger.rows().map((row) => cells(onScreen(row.name), row));
        console.log(table([head, ...rows, cells('all', ledger.total())]));
      }),
    );
}

function cells(name: string, cost: Cost): readonly string[] {
  const seconds = [cost.actingSeconds, cost.idleSeconds].map((value) => value.toFixed(1));
  const counts = [cost.sessions, cost.steps, cost.tokens, cost.untold].map(String);
  return [name, ...counts, ...seconds, String(cost.outputBytes), cost.retriedSeconds.toFixed(1)];
}
