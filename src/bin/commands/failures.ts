import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { episodesOf } from '../../pipeline/compare-runs.ts';
import type { Database } from '../../platform/db/database.ts';
import { type FailureCluster, FailureTally } from '../../stages/dataset/failure-report.ts';
import { onScreen, printJson, table } from '../output.ts';
import { withDatabase } from '../with-service.ts';

interface FailureOptions {
  readonly run?: string;
  readonly before?: string;
  readonly json?: true;
}

/** `proctor failures`: how sessions failed, by rules over the record, and what of it to evaluate again. */
export function failuresCommand(): Command {
  return new Command('failures')
    .description('how sessions failed, by task and cause; and sets of instances to evaluate again')
    .addCommand(reportCommand())
    .addCommand(regressCommand());
}

function reportCommand(): Command {
  return new Command('report')
    .description('failures that are alike, with their rate and its 95 % interval')
    .option('--run <name>', 'sessions of this run only')
    .option('--before <run>', 'say what is new and what got worse since this run')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor failures report --run model-7 --before model-6')
    .action(({ run, before, json }: FailureOptions) =>
      withDatabase(async (database) => {
        const tally = await tallyOf(database, run);
        const clusters = tally.report(before === undefined ? null : await tallyOf(database, before));
        if (json) printJson(clusters);
        else console.log(table([HEAD, ...clusters.map(cells)]));
      }),
    );
}

function regressCommand(): Command {
  return new Command('regress')
    .description('write one case for each instance on which a run failed')
    .requiredOption('--run <name>', 'the run')
    .requiredOption('--out <file>', 'JSON; must not be there')
    .addHelpText('after', '\nExample:\n  $ proctor failures regress --run model-7 --out regression.json')
    .action(({ run, out }: { readonly run: string; readonly out: string }) =>
      withDatabase(async (database) => {
        const cases = (await tallyOf(database, run)).cases();
        const document = { format: 'proctor/regression/1', phase: 'eval', cases };
        await writeFile(out, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
        console.log(`${cases.length} instances in ${out}`);
      }),
    );
}

async function tallyOf(database: Database, run: string | undefined): Promise<FailureTally> {
  const tally = new FailureTally();
  const runs = run === undefined ? undefined : [run];
  for await (const episode of episodesOf({ database }, { runs })) tally.note(episode);
  return tally;
}

const HEAD = ['task', 'kind', 'cause', 'feature', 'count', 'rate', '95 %', 'since before', 'look at'];

function cells(cluster: FailureCluster): readonly string[] {
  const { task, kind, cause, feature, count, of, rate, low, high, change, episodes } = cluster;
  return [
    ...[onScreen(task), kind, cause, onScreen(feature), `${count} of ${of}`, rate.toFixed(3)],
    ...[`${low.toFixed(3)} to ${high.toFixed(3)}`, change ?? '-', episodes[0] ?? ''],
  ];
}
