import { Command } from 'commander';
import { runApi } from '../api.ts';
import { loadConfig } from '../with-service.ts';
import { needsServer } from '../worker.ts';
import { taskFolders } from './task.ts';

/** `proctor serve`: the whole service in one process. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the API and grade, in one process')
    .option('--api-only', 'leave the grading to workers (proctor worker) on the same PostgreSQL')
    .option('--tasks <folder...>', 'task folders, or folders of them, to register at start')
    .option('--port <number>', 'instead of PROCTOR_PORT')
    .addHelpText(
      'after',
      `
Examples:
  $ proctor serve --tasks fixtures
  $ curl localhost:8787/readyz
  $ proctor serve --api-only    # and proctor worker on as many machines as it takes`,
    )
    .action(async (options: { tasks?: string[]; port?: string; apiOnly?: boolean }) => {
      const config = loadConfig(options.port === undefined ? {} : { PROCTOR_PORT: options.port });
      const grades = options.apiOnly !== true;
      if (!grades) needsServer(config, 'serve --api-only');
      await runApi(config, { taskFolders: await taskFolders(options.tasks ?? []), grades });
    });
}
