import { Command, InvalidArgumentError } from 'commander';
import { BUNDLED } from '../bundled.ts';
import { printCorpus } from '../corpus/print-corpus.ts';
import { readFixtures, type Submission } from '../corpus/read-fixtures.ts';
import { runCorpus } from '../corpus/run-corpus.ts';
import { ofSuites, tableCorpus } from '../corpus/table-corpus.ts';
import { EXIT } from '../exit-codes.ts';
import type { Service } from '../open-service.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, progress } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';

interface CorpusOptions {
  readonly fixtures: string;
  readonly seed: string;
  readonly inFlight: number;
  readonly json?: true;
  readonly table?: true;
  readonly write?: string;
  readonly check?: string;
}

/** `proctor corpus`: every labelled submission must come out as its label says. The labelled corpus is the specification. */
export function corpusCommand(): Command {
  return new Command('corpus')
    .argument('[names...]', 'only tasks, or task/submission, that begin so')
    .description('run every labelled fixture and fail when a cheat is rewarded or honest work denied')
    .option('--fixtures <folder>', 'where the fixtures are', BUNDLED.fixtureFolder)
    .option('--seed <text>', 'seed of all instances; "random" draws a new one for each', 'corpus')
    .option('--in-flight <n>', 'submissions at once', wholeNumber, 2)
    .option('--table', 'put the cheats of pytest tasks before a plain and a hardened in-process grader too')
    .option('--write <file>', 'with --table: keep the comparison as JSON')
    .option('--check <file>', 'with --table: fail when it is not as kept')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor corpus\n  $ proctor corpus wordtool parse-config/reference --seed random\n  $ proctor corpus --table --check docs/techniques.json',
    )
    .action(async (names: string[], options: CorpusOptions) => {
      const submissions = await chosen(names, options);
      const good = await withScratchService((service) => runAndPrint(service, submissions, options));
      process.exitCode = good ? EXIT.ok : EXIT.differs;
    });
}

async function runAndPrint(
  service: Service,
  submissions: readonly Submission[],
  options: CorpusOptions,
): Promise<boolean> {
  const onRow = (name: string, done: number, total: number) => progress(`${done} of ${total}  ${name}`);
  const result = await runCorpus(service, submissions, {
    seed: options.seed === 'random' ? undefined : options.seed,
    inFlight: options.inFlight,
    onRow: (row, done, total) => onRow(`${row.task}/${row.submission}`, done, total),
  });
  progress('');
  const { driver } = service.parts;
  const table = options.table ? await tableCorpus(driver, { ...options, submissions, ...result, onRow }) : null;
  if (options.json) printJson(table === null ? result : { ...result, table: table.record });
  else printCorpus(result, { everyRow: false });
  return result.summary.asExpected === result.summary.submissions && table?.holds !== false;
}

async function chosen(
  names: readonly string[],
  { fixtures, table, seed }: CorpusOptions,
): Promise<readonly Submission[]> {
  const submissions = await readFixtures(fixtures, names);
  if (!table) return submissions;
  if (seed === 'random') throw new InvalidArgumentError('--table compares graders on the same instances: give a seed');
  return ofSuites(submissions);
}
