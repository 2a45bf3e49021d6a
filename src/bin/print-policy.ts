import type { ReplayReport } from '../pipeline/replay-policy.ts';
import type { DecisionContext } from '../stages/policy/context.ts';
import type { ExplainedDecision, ExplainedRule } from '../stages/policy/explain-decision.ts';
import type { DecisionRow } from '../stages/policy/policy.ts';
import type { CaseResult } from '../stages/policy/run-cases.ts';
import { dim, green, onScreen, red, table, yellow } from './output.ts';

/** What came of checking one policy file. */
export interface CheckedFile {
  readonly file: string;
  readonly faults: readonly string[];
  /** Null when it does not load. */
  readonly policy: { id: string; version: number; rules: number; cases: number; digest: string } | null;
}

export function printChecked(files: readonly CheckedFile[]): void {
  for (const { file, faults, policy } of files) {
    if (policy === null)
      console.log(`${red('does not load')}  ${file}\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    else {
      const { id, version, rules, cases } = policy;
      console.log(`${green('sound')}  ${id}, version ${version}: ${rules} rules, ${cases} cases  ${dim(file)}`);
    }
  }
}

export function printCases(cases: readonly CaseResult[]): void {
  const rows = cases.map(({ name, decided, fault }) => {
    const { action, weight, mask, review = 'none', rules } = decided;
    const fired = rules.map(({ id }) => id).join(', ') || 'no rule';
    const outcome = fault === null ? green('as expected') : red('not as expected');
    return [outcome, onScreen(name), action, mask ? 'masked' : number(weight), review, fired];
  });
  console.log(table([['', 'case', 'action', 'weight', 'review', 'rules'], ...rows]));
}

export function printExplained(decision: DecisionRow, context: DecisionContext, explained: ExplainedDecision): void {
  const { action, weight, mask, flags, review = 'none' } = explained.decided;
  console.log(`${decision.id} on ${decision.verdictId}, by policy ${explained.policy}, version ${explained.version}`);
  console.log(
    `${action}, ${mask ? 'masked' : `weight ${number(weight)}`}, flags ${flags.join(', ') || 'none'}, review ${review}`,
  );
  for (const law of explained.above) console.log(yellow(`decided above the rules: ${law}`));
  for (const { error } of decision.body.rules) if (error !== undefined) console.log(red(onScreen(error)));
  console.log('\nwhat it rests on');
  for (const [name, value] of Object.entries(context))
    console.log(`  ${name}  ${dim(onScreen(JSON.stringify(value)))}`);
  console.log('\nrules');
  for (const rule of explained.rules) printRule(rule);
  console.log(explained.same ? green('\nderived again: the same') : red('\nderived again: another decision'));
}

function printRule({ id, kind, when, fired, because, weight, share, error }: ExplainedRule): void {
  const mark = { yes: yellow('fired'), no: dim('not  '), failed: red('failed') }[fired];
  const counted = weight === null ? '' : `, weight ${number(weight)}, share ${number(share ?? 0)}`;
  console.log(`  ${mark}  ${id} (${kind}${counted})`);
  console.log(dim(`         ${onScreen(when)}`));
  for (const [path, value] of Object.entries(because))
    console.log(`         ${path} = ${onScreen(JSON.stringify(value))}`);
  if (error !== null) console.log(`         ${red(onScreen(error))}`);
}

export function printReplay(report: ReplayReport): void {
  const { policy, against, since, decisions, withoutContext, changed, before, after, honest } = report;
  const than = against === null ? 'what was decided' : `what ${against} decides`;
  console.log(`${policy} beside ${than}, since ${since}: ${decisions} decisions, ${changed} rewards would change`);
  if (withoutContext > 0) console.log(dim(`${withoutContext} more have no stored context and were left out`));
  const { masked, unmasked, weighedLess, weighedMore, paidLess, paidMore } = report;
  console.log(
    `newly masked ${masked}, no longer masked ${unmasked}; weigh less ${weighedLess}, more ${weighedMore}; paid less ${paidLess}, more ${paidMore}\n`,
  );
  const row = (what: string, of: (side: typeof before) => string) => [what, of(before), of(after)];
  const share = (count: number) => `${count} (${percent(count, decisions)})`;
  console.log(
    table([
      ['', 'before', 'after'],
      row('masked', (side) => share(side.masked)),
      row('rejected', (side) => share(side.rejected)),
      row('flagged', (side) => share(side.flagged)),
      row('for a person', (side) => share(side.reviewed)),
      row('mean weight', (side) => number(decisions === 0 ? 0 : side.weight / decisions)),
      row('sum of weight × reward', (side) => number(side.paid)),
      ...(honest === 0
        ? []
        : [
            row(
              'ruled honest, punished',
              (side) => `${side.honestPunished} of ${honest} (${percent(side.honestPunished, honest)})`,
            ),
            row(
              'ruled honest, flagged',
              (side) => `${side.honestFlagged} of ${honest} (${percent(side.honestFlagged, honest)})`,
            ),
          ]),
    ]),
  );
  if (honest === 0)
    console.log(dim('no work of these was ruled honest by a person: nothing can be said of false positives'));
  if (report.rules.length > 0) printRules(report);
  for (const { verdict, before: was, after: is, rules } of report.examples)
    console.log(dim(`  ${verdict}  ${paid(was)} → ${paid(is)}  ${rules.join(', ')}`));
}

function printRules({ rules }: ReplayReport): void {
  const rows = rules.map(({ id, before, after, changed, honest }) => [
    id,
    ...[before, after, changed, honest].map(String),
  ]);
  console.log(
    `\n${table([['rule', 'fired before', 'fires after', 'changes rewards', 'on work ruled honest'], ...rows])}\n`,
  );
}

const paid = ({ reward, weight }: { reward: number | null; weight: number }) =>
  reward === null ? 'masked' : `${number(reward)} × ${number(weight)}`;

const percent = (count: number, of: number) => `${(of === 0 ? 0 : (count / of) * 100).toFixed(1)} %`;

/** At most four decimals. */
const number = (value: number) => String(Math.round(value * 10_000) / 10_000);
