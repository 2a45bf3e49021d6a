import { Command, InvalidArgumentError } from 'commander';
import { ProctorError } from '../../platform/base/errors.ts';
import { REQUIRED_FILE } from '../../stages/grade/required-tests.ts';
import type { AuditReport } from '../../stages/task/admission.ts';
import { saveAdmission } from '../../stages/task/admission-store.ts';
import { loadTask } from '../../stages/task/load-task.ts';
import { saveTask } from '../../stages/task/task-store.ts';
import { auditTask } from '../audit/audit-task.ts';
import { printAudit } from '../audit/print-audit.ts';
import { EXIT } from '../exit-codes.ts';
import type { Service } from '../open-service.ts';
import { printJson } from '../output.ts';
import { withScratchService } from '../scratch-service.ts';
import { withDatabase, withService } from '../with-service.ts';

interface AuditCommandOptions {
  readonly seed: string;
  readonly repeats: number;
  readonly write?: true;
  readonly record?: true;
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
    .option('--record', 'keep the ruling in the configured database: rewards are given for admitted tasks only')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor audit fixtures/interval-set\n  $ proctor audit --write --repeats 10 --record my-task\n\nExit code: 0 admitted, 1 needs work.',
    )
    .action(async (folder: string, options: AuditCommandOptions) => {
      const settings = { ...options, write: options.write === true };
      if (options.record) await withDatabase(async () => undefined); // locked or away: better told now than after the audit
      const report = await withScratchService((service) => auditTask(service, folder, settings));
      if (options.record) await withService((service) => record(service, folder, report));
      if (options.json) printJson(report);
      else printAudit(report);
      process.exitCode = report.gate === 'admitted' ? EXIT.ok : EXIT.differs;
    });
}

async function record({ parts }: Service, folder: string, report: AuditReport): Promise<void> {
  const task = await loadTask(folder);
  if (task.digest !== report.digest) {
    throw new ProctorError('conflict', `${folder} was changed while it was audited; audit it again`);
  }
  await saveTask(parts, task);
  await saveAdmission(parts.database, report);
}

function repeats(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 1 to 99 is needed');
}
