import { Command, InvalidArgumentError } from 'commander';
import { REQUIRED_FILE } from '../../stages/grade/required-tests.ts';
import { auditTask } from '../audit/audit-task.ts';
import { printAudit } from '../audit/print-audit.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';

interface AuditCommandOptions {
  readonly seed: string;
  readonly repeats: number;
  readonly write?: true;
  readonly json?: true;
}

/** `proctor audit TASK`: attacks a task before an agent does. */
export function auditCommand(): Command {
  return new Command('audit')
    .argument('<folder>', 'a task folder')
    .description('attack a task with what agents do, and say whether it may be used')
    .option('--seed <text>', 'seed of the instance', 'audit')
    .option('--repeats <n>', 'how often the reference is graded', repeats, 3)
    .option('--write', `keep the reference's tests and what it needs as ${REQUIRED_FILE}`)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor audit fixtures/interval-set\n  $ proctor audit --write --repeats 10 my-task\n\nExit code: 0 admitted, 1 needs work.',
    )
    .action(async (folder: string, options: AuditCommandOptions) => {
      const settings = { ...options, write: options.write === true };
      const report = await withScratchService((service) => auditTask(service, folder, settings));
      if (options.json) printJson(report);
      else printAudit(report);
      process.exitCode = report.gate === 'admitted' ? EXIT.ok : EXIT.differs;
    });
}

function repeats(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 99 is needed');
}
