import { Command } from 'commander';
import { BUNDLED } from '../bundled.ts';
import { printCorpus } from '../corpus/print-corpus.ts';
import { readFixtures } from '../corpus/read-fixtures.ts';
import { runCorpus } from '../corpus/run-corpus.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, progress } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';
import { demoSessions } from '../sessions-demo/sessions-demo.ts';

/** One task for each way of grading; the whole corpus takes minutes. */
const SHOWN = ['implement-slugify', 'wordtool', 'interval-set'];

/** `proctor demo`: honest and cheating submissions to the bundled tasks, graded in fresh sandboxes. */
export function demoCommand(): Command {
  return new Command('demo')
    .argument('[tasks...]', `these tasks instead of ${SHOWN.join(', ')}`)
    .description('grade honest and cheating submissions to the bundled tasks and show what each earns')
    .option('--sessions', 'instead: honest and cheating agents in workspaces, and what was recorded of each')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor demo\n  $ proctor demo wordtool --json\n  $ proctor demo --sessions',
    )
    .action(async (names: string[], options: { json?: true; sessions?: true }) => {
      if (options.sessions) return demoSessions(options);
      const submissions = await readFixtures(BUNDLED.fixtureFolder, names.length > 0 ? names : SHOWN);
      const result = await withScratchService((service) =>
        runCorpus(service, submissions, {
          seed: 'demo',
          inFlight: 2,
          onRow: (row, done, total) => progress(`grading ${done} of ${total}  ${row.task}/${row.submission}`),
        }),
      );
      progress('');
      if (options.json) printJson(result);
      else printCorpus(result, { everyRow: true });
      process.exitCode = result.summary.asExpected === result.summary.submissions ? EXIT.ok : EXIT.differs;
    });
}
