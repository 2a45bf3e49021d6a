import { Command } from 'commander';
import type { RegradeReport } from '../../stages/verdict/regrade-report.ts';
import { EXIT } from '../exit-codes.ts';
import { green, printJson, red } from '../output.ts';
import { withService } from '../with-service.ts';

/** `proctor regrade`: grades again from what is stored and compares. */
export function regradeCommand(): Command {
  return new Command('regrade')
    .argument('<verdict>', 'the id of a verdict (ver_…)')
    .description('grade again from stored digests alone, and prove that the result is the same')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor regrade ver_0mabc1234…')
    .action((id: string, options: { json?: true }) =>
      withService(async ({ pipeline }) => {
        const report = await pipeline.regrade(id);
        if (options.json) printJson(report);
        else print(report);
        process.exitCode = report.same ? EXIT.ok : EXIT.differs;
      }),
    );
}

function print({ same, differences, again }: RegradeReport): void {
  if (same) {
    console.log(green(`same grade: ${again.digests.grade}`));
    return;
  }
  console.log(red('the grade differs:'));
  for (const { field, first, again: now } of differences) {
    console.log(`  ${field}: ${JSON.stringify(first)}, now ${JSON.stringify(now)}`);
  }
}
