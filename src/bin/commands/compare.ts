import { Command } from 'commander';
import { compareStoredRuns } from '../../pipeline/compare-runs.ts';
import type { Difference } from '../../stages/dataset/compare-runs.ts';
import { onScreen, printJson, table } from '../output.ts';
import { withDatabase } from '../with-service.ts';

/** `proctor compare`: whether one run did better than another, on the instances that both worked on. */
export function compareCommand(): Command {
  return new Command('compare')
    .argument('<run>', 'the earlier one, say')
    .argument('<other>', 'the run that is compared with it')
    .description('the paired difference of two runs on the same instances, with its interval, by task and cause')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor compare model-6 model-7')
    .action((one: string, other: string, options: { readonly json?: true }) =>
      withDatabase(async (database) => {
        const compared = await compareStoredRuns({ database }, one, other);
        if (options.json) {
          printJson(compared);
          return;
        }
        const rows = Object.entries(compared.tasks).map(([task, difference]) => cells(onScreen(task), difference));
        const head = ['task', 'instances', onScreen(one), onScreen(other), 'difference', '95 %'];
        console.log(table([head, ...rows, cells('all', compared.all)]));
        const causes = Object.entries(compared.causes).map(([cause, counts]) => [
          ...[cause, String(counts.one), String(counts.other)],
        ]);
        if (causes.length > 0)
          console.log(`\n${table([['failures by cause', onScreen(one), onScreen(other)], ...causes])}`);
        const { onlyOne, onlyOther, notGraded } = compared;
        console.log(
          `\ninstances of one run alone: ${onlyOne} and ${onlyOther}; sessions that were not graded: ${notGraded}`,
        );
      }),
    );
}

function cells(name: string, { instances, one, other, difference, interval }: Difference): readonly string[] {
  const range = interval === null ? '-' : `${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}`;
  return [name, String(instances), one.toFixed(3), other.toFixed(3), difference.toFixed(3), range];
}
