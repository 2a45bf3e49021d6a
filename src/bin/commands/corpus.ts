import { Command, InvalidArgumentError } from 'commander';
import { BUNDLED } from '../bundled.ts';
import { printCorpus } from '../corpus/print-corpus.ts';
import { readFixtures } from '../corpus/read-fixtures.ts';
import { runCorpus } from '../corpus/run-corpus.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, progress } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';

interface CorpusOptions {
  readonly fixtures: string;
  readonly seed: string;
  readonly inFlight: number;
  readonly json?: true;
}

/** `proctor corpus`: every labelled submission must come out as its label says. The labelled corpus is the specification. */
export function corpusCommand(): Command {
  return new Command('corpus')
    .argument('[names...]', 'only tasks, or task/submission, that begin so')
    .description('run every labelled fixture and fail when a cheat is rewarded or honest work denied')
    .option('--fixtures <folder>', 'where the fixtures are', BUNDLED.fixtureFolder)
    .option('--seed <text>', 'seed of all instances; "random" draws a new one for each', 'corpus')
    .option('--in-flight <n>', 'submissions at once', wholeNumber, 2)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor corpus\n  $ proctor corpus wordtool parse-config/reference --seed random',
    )
    .action(async (names: string[], options: CorpusOptions) => {
      const submissions = await readFixtures(options.fixtures, names);
      const result = await withScratchService((service) =>
        runCorpus(service, submissions, {
          seed: options.seed === 'random' ? undefined : options.seed,
          inFlight: options.inFlight,
          onRow: (row, done, total) => progress(`${done} of ${total}  ${row.task}/${row.submission}`),
        }),
      );
      progress('');
      if (options.json) printJson(result);
      else printCorpus(result, { everyRow: false });
      process.exitCode = result.summary.asExpected === result.summary.submissions ? EXIT.ok : EXIT.differs;
    });
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 999 is needed');
}
