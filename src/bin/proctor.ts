#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { auditCommand } from './commands/audit.ts';
import { compareCommand } from './commands/compare.ts';
import { corpusCommand } from './commands/corpus.ts';
import { costCommand } from './commands/cost.ts';
import { datasetCommand } from './commands/dataset.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evidenceCommand } from './commands/evidence.ts';
import { failuresCommand } from './commands/failures.ts';
import { gradeCommand } from './commands/grade.ts';
import { instanceCommand } from './commands/instance.ts';
import { keyCommand } from './commands/key.ts';
import { migrateCommand } from './commands/migrate.ts';
import { policyCommand } from './commands/policy.ts';
import { profileCommand } from './commands/profile.ts';
import { reaperCommand } from './commands/reaper.ts';
import { regradeCommand } from './commands/regrade.ts';
import { reviewCommand } from './commands/review.ts';
import { runCommand } from './commands/run.ts';
import { serveCommand } from './commands/serve.ts';
import { sessionCommand } from './commands/session.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { taskCommand } from './commands/task.ts';
import { verifyCommand } from './commands/verify.ts';
import { workCommand } from './commands/work.ts';
import { workerCommand } from './commands/worker.ts';
import { asCommandError, EXIT, exitCodeOf, printError } from './exit-codes.ts';
import { programVersion } from './program-version.ts';

const program = new Command('proctor')
  .description('Grades what agents hand in, so that their own code cannot forge the result.')
  .version(programVersion())
  .exitOverride()
  .showHelpAfterError('(add --help for examples)')
  .addHelpText(
    'after',
    `
Exit codes:
  ${EXIT.ok}   done; for "grade": passed; for "demo" and "corpus": everything as expected
  ${EXIT.differs}   "grade": not passed; "demo", "corpus", "regrade", "verify": a difference; "audit": needs work; "doctor": something is missing
  ${EXIT.caller}   a mistake in the call, the task or the settings
  ${EXIT.platform}   this machine or its services failed; nothing is lost, try again
  ${EXIT.defect}  a defect of Proctor

Settings come from the environment and from .env; see .env.example.

Examples:
  $ proctor doctor
  $ proctor task check fixtures/implement-slugify
  $ proctor grade fixtures/implement-slugify --artifact ./my-solution
  $ proctor serve --tasks fixtures`,
  );

for (const command of [
  ...[doctorCommand(), taskCommand(), instanceCommand(), gradeCommand(), regradeCommand()],
  ...[runCommand(), sessionCommand(), profileCommand(), policyCommand()],
  ...[auditCommand(), evidenceCommand(), verifyCommand(), reviewCommand()],
  ...[datasetCommand(), compareCommand(), costCommand(), failuresCommand()],
  ...[serveCommand(), workerCommand(), workCommand(), reaperCommand(), migrateCommand(), keyCommand()],
  ...[snapshotCommand(), demoCommand(), corpusCommand()],
]) {
  program.addCommand(command);
}
tellEndings(program);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error; // `| head` has seen enough
  process.exit(EXIT.ok);
});

try {
  if (process.argv.length <= 2) program.help();
  await program.parseAsync(process.argv);
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? EXIT.ok : EXIT.caller;
  else {
    const error = asCommandError(thrown);
    printError(error, process.argv.includes('--json'));
    process.exitCode = exitCodeOf(error);
  }
}

/** Lets every command, however deep, report mistakes in the call here instead of ending the process by itself. */
function tellEndings(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) tellEndings(child);
}
