import { Command } from 'commander';
import { appealCase } from '../../pipeline/appeal-case.ts';
import { ruleCase } from '../../pipeline/rule-case.ts';
import { ruleGroup } from '../../pipeline/rule-group.ts';
import { undoRuling } from '../../pipeline/undo-ruling.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { RULINGS, type RulingRequest, rulingRequestSchema } from '../../stages/review/review.ts';
import { printJson } from '../output.ts';
import { printReports, printRuled } from '../print-review.ts';
import { json, reviewer, whoIs } from '../review-options.ts';
import { withReviewParts } from '../review-parts.ts';
import { withDatabase } from '../with-service.ts';

interface Said {
  readonly technique?: string;
  readonly note?: string;
}

/** What was said, checked. `bad-request`. */
function saidOf(ruling: string, { technique, note }: Said): RulingRequest {
  const parsed = rulingRequestSchema.safeParse({ ruling, technique, note });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ProctorError('bad-request', faults.join('; '));
}

/** The options of everything that rules. */
function ruling(command: Command): Command {
  return command
    .option('--technique <id>', 'of a cheat; proctor review techniques lists them')
    .option('--note <text>', 'why, for whoever reads it later')
    .addOption(reviewer())
    .addOption(json());
}

type RuleOptions = Said & { readonly as?: string; readonly json?: true };

/** `proctor review rule`. */
export function ruleCommand(): Command {
  return ruling(new Command('rule').argument('<case>', 'case_…').argument('<ruling>', RULINGS.join(', ')))
    .description('rule on a case: its verdict is amended and its reward issued again')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor review rule case_… honest\n  $ proctor review rule case_… cheat --technique hardcode-visible-cases --note "a table of answers"',
    )
    .action((id: string, said: string, options: RuleOptions) =>
      withReviewParts(async (parts) => {
        const ruled = await ruleCase(parts, { ...saidOf(said, options), caseId: id, reviewer: whoIs(options) });
        if (options.json) printJson(ruled);
        else printRuled(ruled);
      }),
    );
}

/** `proctor review rule-group`. */
export function groupCommand(): Command {
  return ruling(
    new Command('rule-group').argument('<group>', 'its key, as list shows it').argument('<ruling>', RULINGS.join(', ')),
  )
    .description('rule on all open cases that are alike, after opening enough of them')
    .addHelpText('after', '\nExample:\n  $ proctor review rule-group "proctor/wordtool · hard-coded" honest')
    .action((group: string, said: string, options: RuleOptions) =>
      withReviewParts(async (parts) => {
        const reports = await ruleGroup(parts, { ...saidOf(said, options), group, reviewer: whoIs(options) });
        if (options.json) printJson({ reports });
        else printReports(reports);
      }),
    );
}

/** `proctor review undo`. */
export function undoCommand(): Command {
  return new Command('undo')
    .argument('<case>', 'case_…')
    .description('take back your newest ruling on a case, within the hour')
    .option('--note <text>', 'why')
    .addOption(reviewer())
    .addOption(json())
    .addHelpText('after', '\nExample:\n  $ proctor review undo case_…')
    .action((id: string, options: { note?: string; as?: string; json?: true }) =>
      withReviewParts(async (parts) => {
        const ruled = await undoRuling(parts, { caseId: id, reviewer: whoIs(options), note: options.note });
        if (options.json) printJson(ruled);
        else printRuled(ruled);
      }),
    );
}

/** `proctor review appeal`. */
export function appealCommand(): Command {
  return new Command('appeal')
    .argument('<verdict>', 'ver_…')
    .requiredOption('--why <text>', 'what is wrong with it')
    .description('object to a verdict: a case is opened, and another reviewer decides')
    .addOption(reviewer())
    .addHelpText('after', '\nExample:\n  $ proctor review appeal ver_… --why "the test is wrong"')
    .action((verdictId: string, options: { why: string; as?: string }) =>
      withDatabase(async (database) => {
        const { id } = await appealCase({ database }, { verdictId, why: options.why, who: whoIs(options) });
        console.log(id);
      }),
    );
}
