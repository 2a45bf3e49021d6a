import { Command } from 'commander';
import { runApi } from '../api.ts';
import { loadConfig } from '../with-service.ts';
import { taskFolders } from './task.ts';

/** `proctor serve`: the whole service in one process. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the API and grade, in one process')
    .option('--tasks <folder...>', 'task folders, or folders of them, to register at start')
    .option('--port <number>', 'instead of PROCTOR_PORT')
    .addHelpText('after', '\nExample:\n  $ proctor serve --tasks fixtures\n  $ curl localhost:8787/readyz')
    .action(async (options: { tasks?: string[]; port?: string }) => {
      const config = loadConfig(options.port === undefined ? {} : { PROCTOR_PORT: options.port });
      await runApi(config, await taskFolders(options.tasks ?? []));
    });
}
