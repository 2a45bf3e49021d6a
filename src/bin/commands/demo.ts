import { Command } from 'commander';
import { BUNDLED } from '../bundled.ts';
import { printCorpus } from '../corpus/print-corpus.ts';
import { readFixtures, type Submission } from '../corpus/read-fixtures.ts';
import { runCorpus } from '../corpus/run-corpus.ts';
import { serveDemoQueue } from '../demo-queue.ts';
import { EXIT } from '../exit-codes.ts';
import { demoLoop } from '../loop-demo/loop-demo.ts';
import type { Service } from '../open-service.ts';
import { printJson, progress } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';
import { demoSessions } from '../sessions-demo/sessions-demo.ts';
import { loadConfig } from '../with-service.ts';

/** One task for each way of grading; the whole corpus takes minutes. */
const SHOWN = ['implement-slugify', 'wordtool', 'interval-set'];

/** `proctor demo`: honest and cheating submissions to the bundled tasks, graded in fresh sandboxes. */
export function demoCommand(): Command {
  return new Command('demo')
    .argument('[tasks...]', `these tasks instead of ${SHOWN.join(', ')}`)
    .description('grade honest and cheating submissions to the bundled tasks and show what each earns')
    .option('--sessions', 'instead: honest and cheating agents in workspaces, and what was recorded of each')
    .option('--serve', 'at the end serve the review queue with what is suspicious; so it is by itself at a terminal')
    .option('--no-serve', 'end when all is graded, also at a terminal')
    .option('--loop', 'instead: sessions of scripted agents become a data set, with its datasheet in data/')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor demo\n  $ proctor demo wordtool --json\n  $ proctor demo --sessions\n  $ proctor demo --loop',
    )
    .action(async (names: string[], options: DemoOptions) => {
      if (options.loop) return demoLoop(options);
      if (options.sessions) return demoSessions(options);
      const submissions = await readFixtures(BUNDLED.fixtureFolder, names.length > 0 ? names : SHOWN);
      const { json, serve = process.stdin.isTTY && process.stdout.isTTY } = options;
      const serves = serve && !json;
      const use = (service: Service) => demoSubmissions(service, submissions, { json, serves });
      await withScratchService(use, {}, { sessions: serves });
    });
}

interface DemoOptions {
  readonly json?: true;
  readonly loop?: true;
  readonly sessions?: true;
  readonly serve?: boolean;
}

async function demoSubmissions(
  service: Service,
  submissions: readonly Submission[],
  { json, serves }: { readonly json: true | undefined; readonly serves: boolean },
): Promise<void> {
  const result = await runCorpus(service, submissions, {
    seed: 'demo',
    inFlight: 2,
    onRow: (row, done, total) => progress(`grading ${done} of ${total}  ${row.task}/${row.submission}`),
  });
  progress('');
  if (json) printJson(result);
  else printCorpus(result, { everyRow: true });
  process.exitCode = result.summary.asExpected === result.summary.submissions ? EXIT.ok : EXIT.differs;
  if (!json && !serves)
    console.log('\nproctor demo --serve ends with a review queue of the suspicious ones, at an address that it prints');
  if (serves) await serveDemoQueue(service, loadConfig({ PROCTOR_LOG_LEVEL: 'error' }), result.rows);
}
