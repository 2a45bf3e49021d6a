import { Command, InvalidArgumentError, Option } from 'commander';
import { noteOpened, saveAudit } from '../../stages/review/audit-store.ts';
import { dashboardFacts } from '../../stages/review/dashboard-store.ts';
import { listQueue } from '../../stages/review/queue-store.ts';
import { CAUSES, MAX_DASHBOARD_DAYS, RULINGS } from '../../stages/review/review.ts';
import { claimCase, countQueue, findCase, renewClaim } from '../../stages/review/review-store.ts';
import { findRulings } from '../../stages/review/ruling-store.ts';
import { TECHNIQUES } from '../../stages/review/technique.ts';
import { printJson } from '../output.ts';
import { printCase, printDashboard, printQueue } from '../print-review.ts';
import { json, reviewer, whoIs } from '../review-options.ts';
import { withDatabase } from '../with-service.ts';
import { appealCommand, groupCommand, ruleCommand, undoCommand } from './review-rulings.ts';

/** `proctor review`: cases for people, on the terminal. For a database that no `serve` holds; a running service has /v1/reviews. */
export function reviewCommand(): Command {
  return new Command('review')
    .description('look at doubtful hand-ins and rule on them')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(claimCommand())
    .addCommand(ruleCommand())
    .addCommand(groupCommand())
    .addCommand(undoCommand())
    .addCommand(appealCommand())
    .addCommand(statsCommand())
    .addCommand(techniquesCommand());
}

function within(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most}`);
  };
}

interface ListOptions {
  readonly run?: string;
  readonly task?: string;
  readonly cause?: (typeof CAUSES)[number];
  readonly ruling?: (typeof RULINGS)[number];
  readonly group?: string;
  readonly after?: string;
  readonly limit: number;
  readonly json?: true;
}

function listCommand(): Command {
  return new Command('list')
    .description('the open cases, what is worth most first')
    .option('--run <name>', 'only of this run')
    .option('--task <name>', 'only of this task')
    .addOption(new Option('--cause <cause>', 'only with this cause').choices(CAUSES))
    .addOption(new Option('--ruling <ruling>', 'open or closed, with this standing ruling').choices(RULINGS))
    .option('--group <key>', 'only what is alike')
    .option('--after <place>', 'the next page, as the page before says')
    .option('--limit <n>', 'so many at most', within(1, 200), 20)
    .addOption(json())
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor review list\n  $ proctor review list --run run-7 --ruling unsure --json',
    )
    .action(({ json: asJson, ...filter }: ListOptions) =>
      withDatabase(async (database) => {
        const [page, counts] = [await listQueue(database, filter), await countQueue(database)];
        if (asJson) printJson({ counts, ...page });
        else printQueue(page, counts);
      }),
    );
}

function showCommand(): Command {
  return new Command('show')
    .argument('<case>', 'case_…')
    .description('one case with what was ruled on it; it counts as opened')
    .addOption(reviewer())
    .addOption(json())
    .addHelpText('after', '\nExample:\n  $ proctor review show case_…')
    .action((id: string, options: { as?: string; json?: true }) =>
      withDatabase(async (database) => {
        await findCase(database, id);
        await noteOpened(database, id, whoIs(options));
        await renewClaim(database, id, whoIs(options));
        const [found, rulings] = [await findCase(database, id), await findRulings(database, id)];
        if (options.json) printJson({ case: found, rulings });
        else printCase(found, rulings);
      }),
    );
}

function claimCommand(): Command {
  return new Command('claim')
    .argument('<case>', 'case_…')
    .description('take a case, so that nobody else rules on it for a while')
    .addOption(reviewer())
    .addHelpText('after', '\nExample:\n  $ proctor review claim case_…')
    .action((id: string, options: { as?: string }) =>
      withDatabase(async (database) => {
        const found = await claimCase(database, id, whoIs(options));
        await saveAudit(database, { who: whoIs(options), action: 'claimed', subject: id });
        console.log(`yours until ${found.claimedUntil?.toISOString()}`);
      }),
    );
}

function statsCommand(): Command {
  return new Command('stats')
    .description('how long the queue is, how often each rule is right, and which techniques are seen')
    .option('--run <name>', 'weights by day only of this run')
    .option('--task <name>', 'weights by day only of this task')
    .option('--days <n>', 'so many days back', within(1, MAX_DASHBOARD_DAYS), 30)
    .addOption(json())
    .addHelpText('after', '\nExample:\n  $ proctor review stats --days 7')
    .action(({ json: asJson, ...filter }: { run?: string; task?: string; days: number; json?: true }) =>
      withDatabase(async (database) => {
        const facts = await dashboardFacts(database, filter);
        if (asJson) printJson(facts);
        else printDashboard(facts);
      }),
    );
}

function techniquesCommand(): Command {
  return new Command('techniques').description('the ids of known techniques, for --technique').action(() => {
    console.log(TECHNIQUES.join('\n'));
  });
}
