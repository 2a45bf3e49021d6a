import { Command } from 'commander';
import { loadConfig } from '../with-service.ts';
import { runWorker } from '../worker.ts';

/** `proctor worker`: one of any number of processes that grade what is due. */
export function workerCommand(): Command {
  return new Command('worker')
    .description('grade what is due, beside any number of other workers on the same PostgreSQL')
    .option('--concurrency <number>', 'instead of PROCTOR_GRADE_CONCURRENCY')
    .option('--json', 'tell that it is ready as one JSON line')
    .addHelpText(
      'after',
      `
It needs PROCTOR_DATABASE_URL, the PROCTOR_DATA_DIR/blobs and the signing key of the other processes, and takes work at once with
PROCTOR_REDIS_URL, else within two seconds. When it dies, another worker takes over what it had within ten seconds.

Examples:
  $ PROCTOR_DATABASE_URL=postgres://db/proctor proctor worker
  $ proctor worker --concurrency 4`,
    )
    .action(async (options: { concurrency?: string; json?: boolean }) => {
      const settings = options.concurrency === undefined ? {} : { PROCTOR_GRADE_CONCURRENCY: options.concurrency };
      const config = loadConfig(settings);
      await runWorker(config, (worker) => {
        const told = { worker, concurrency: config.gradeConcurrency };
        console.log(
          options.json ? JSON.stringify(told) : `Worker ${worker} grades, ${told.concurrency} at once; SIGTERM ends it`,
        );
      });
    });
}
