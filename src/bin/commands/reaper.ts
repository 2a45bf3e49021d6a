import { Command } from 'commander';
import type { Reaped } from '../../platform/sandbox/sandbox.ts';
import { seconds } from '../option-values.ts';
import { runReaper } from '../reaper.ts';
import { loadConfig } from '../with-service.ts';

/** `proctor reaper`: a process that does nothing but clear its machine. */
export function reaperCommand(): Command {
  return new Command('reaper')
    .description('remove sandboxes of dead processes of this machine, and end programs past their deadline')
    .option('--once', 'look once and end')
    .option('--every <seconds>', 'how often to look', seconds, 10)
    .option('--json', 'tell what was cleared away as JSON lines')
    .addHelpText(
      'after',
      `
Every worker clears its machine too; this one does when no worker is left, or all of them hang. It needs no database.

Examples:
  $ proctor reaper --once --json
  $ PROCTOR_METRICS_PORT=9101 proctor reaper`,
    )
    .action(async (options: { once?: boolean; every: number; json?: boolean }) => {
      const tell = (reaped: Reaped) => {
        const isQuiet = Object.values(reaped).every((count) => count === 0);
        if (isQuiet && options.once !== true) return;
        const { removed, overdue, failed } = reaped;
        const line = `removed ${removed}, ended past their deadline ${overdue}, failed to clear ${failed}`;
        console.log(options.json ? JSON.stringify(reaped) : line);
      };
      const ready = () => {
        if (options.once) return;
        const told = `The reaper looks every ${options.every} s; SIGTERM ends it`;
        console.log(options.json ? JSON.stringify({ everySeconds: options.every }) : told);
      };
      await runReaper(loadConfig(), { everyMs: options.once ? null : options.every * 1_000, ready, tell });
    });
}
