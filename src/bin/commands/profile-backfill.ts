import { Command } from 'commander';
import { backfillProfiles } from '../../pipeline/backfill-profiles.ts';
import { moment } from '../option-values.ts';
import { printJson, progress } from '../output.ts';
import { withService } from '../with-service.ts';

interface BackfillOptions {
  readonly since?: Date;
  readonly until?: Date;
  readonly json?: true;
}

/** `proctor profile backfill`: profiles of sessions that ended before there was a reference. */
export function backfillCommand(): Command {
  return new Command('backfill')
    .argument('<task>', 'name of a registered task')
    .option('--since <time>', 'only sessions opened from then on (ISO 8601)', moment)
    .option('--until <time>', 'only sessions opened before then', moment)
    .option('--json', 'print one JSON document')
    .description('make and store profiles of ended sessions beside the newest reference; decisions that were made stay')
    .addHelpText('after', '\nExample:\n  $ proctor profile backfill proctor/wordtool --since 2026-11-01')
    .action((task: string, options: BackfillOptions) =>
      withService(async ({ parts }) => {
        const made = await backfillProfiles(parts, { task, ...options }, (done, of) =>
          progress(`${done} of ${of} sessions`),
        );
        progress('');
        if (options.json) return printJson(made);
        console.log(
          `${made.profiled} sessions have a profile${made.unreadable > 0 ? `; ${made.unreadable} could not be read` : ''}`,
        );
      }),
    );
}
