import { Command } from 'commander';
import { listOpen, type OpenHandIn } from '../../pipeline/work-store.ts';
import { wholeNumber } from '../option-values.ts';
import { onScreen, printJson, table } from '../output.ts';
import { withDatabase } from '../with-service.ts';

/** `proctor work`: what waits for its grade, who has it, and why it was not graded yet. */
export function workCommand(): Command {
  return new Command('work')
    .description('list hand-ins without a reward, oldest first: who works on them, and what failed')
    .option('--failed', 'only those of which a try has failed')
    .option('--limit <number>', 'at most so many', wholeNumber, 50)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor work --failed\n  $ proctor work --json | jq ".open[] | select(.tries > 1)"',
    )
    .action((options: { failed?: true; limit: number; json?: true }) =>
      withDatabase(async (database) => {
        const open = await listOpen(database, { failedOnly: options.failed === true, limit: options.limit });
        if (options.json) printJson({ open });
        else if (open.length === 0) console.log('nothing waits');
        else console.log(table([HEAD, ...open.map(rowOf)]));
      }),
    );
}

const HEAD = ['submission', 'task', 'age', 'worker', 'tries', 'last failure'];

function rowOf({ id, task, ageSeconds, worker, tries, step, code, message }: OpenHandIn): string[] {
  const failure = code === null ? '' : `${step}: ${code}: ${onScreen(message ?? '').slice(0, 120)}`;
  return [id, task, `${Math.round(ageSeconds)} s`, worker ?? '-', String(tries), failure];
}
