import { basename, join } from 'node:path';
import { Command } from 'commander';
import { compareShadow, type ReplayReport, replayPolicy } from '../../pipeline/replay-policy.ts';
import { asProctorError, ProctorError } from '../../platform/base/errors.ts';
import { findDecisionContext, findDecisionOf, findDecisionPolicy } from '../../stages/policy/decision-store.ts';
import { explainDecision } from '../../stages/policy/explain-decision.ts';
import { loadPolicy, loadUnchecked, openPolicies } from '../../stages/policy/load-policy.ts';
import { runCases } from '../../stages/policy/run-cases.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, progress } from '../output.ts';
import { type CheckedFile, printCases, printChecked, printExplained, printReplay } from '../print-policy.ts';
import { readTextFile } from '../read-text-file.ts';
import { loadConfig, withDatabase } from '../with-service.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Of a policy file; the same bound in characters holds where it is loaded. */
const MOST_BYTES = 8_388_608;

/** `proctor policy`: what decides what a trainer learns from. */
export function policyCommand(): Command {
  return new Command('policy')
    .description('check policies, try their cases, explain decisions, and see what another policy would change')
    .addCommand(checkCommand())
    .addCommand(testCommand())
    .addCommand(explainCommand())
    .addCommand(replayCommand())
    .addCommand(shadowCommand());
}

function checkCommand(): Command {
  return new Command('check')
    .argument('[file]', 'a policy file, or the name of one in PROCTOR_POLICY_DIR; by default all of them')
    .option('--all', 'all policies in PROCTOR_POLICY_DIR')
    .description('load policies as a service does: every field, rule and case')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor policy check strict\n  $ proctor policy check ./next.yaml\n  $ proctor policy check --all',
    )
    .action(async (file: string | undefined, options: { all?: true; json?: true }) => {
      const { policyFolder } = loadConfig();
      const isAll = file === undefined || options.all === true;
      const files = isAll
        ? (await openPolicies(policyFolder).list()).map((name) => join(policyFolder, `${name}.yaml`))
        : [pathOf(file)];
      if (files.length === 0) throw new ProctorError('not-found', `there is no policy in ${policyFolder}`);
      const checked: CheckedFile[] = [];
      for (const path of files) checked.push(await checkFile(policyFolder, path));
      if (options.json) printJson({ policies: checked });
      else printChecked(checked);
      if (checked.some(({ faults }) => faults.length > 0)) process.exitCode = EXIT.caller;
    });
}

async function checkFile(folder: string, path: string): Promise<CheckedFile> {
  try {
    const { rules, digest } = await loadPolicy(folder, await textOf(path));
    const { id, version, cases } = rules;
    return { file: path, faults: [], policy: { id, version, rules: rules.rules.length, cases: cases.length, digest } };
  } catch (thrown) {
    const error = asProctorError(thrown);
    if (error.code !== 'policy-invalid') throw error;
    return { file: path, faults: error.message.split('\n'), policy: null };
  }
}

function testCommand(): Command {
  return new Command('test')
    .argument('<file>', 'a policy file, or the name of one in PROCTOR_POLICY_DIR')
    .description("decide each of a policy's own cases and show what came of it")
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor policy test ./next.yaml')
    .action(async (file: string, options: { json?: true }) => {
      const cases = runCases(await loadUnchecked(loadConfig().policyFolder, await textOf(pathOf(file))));
      if (options.json) printJson({ cases });
      else printCases(cases);
      if (cases.some(({ fault }) => fault !== null)) process.exitCode = EXIT.differs;
    });
}

function explainCommand(): Command {
  return new Command('explain')
    .argument('<id>', 'a verdict (ver_…) or a decision (dec_…)')
    .description('show what a decision rests on, each rule with what it saw, and derive it again')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor policy explain ver_0mabc1234…')
    .action((id: string, options: { json?: true }) =>
      withDatabase(async (database) => {
        const decision = await findDecisionOf(database, id);
        const context = await findDecisionContext(database, decision.id);
        if (context === null)
          throw new ProctorError(
            'not-found',
            `decision ${decision.id} was made before contexts were stored, or by a person`,
          );
        const policy = await findDecisionPolicy(database, decision.id);
        const explained = explainDecision(context, policy, decision.body);
        if (options.json) printJson({ decision: decision.id, verdict: decision.verdictId, context, ...explained });
        else printExplained(decision, context, explained);
        process.exitCode = explained.same ? EXIT.ok : EXIT.differs;
      }),
    );
}

interface ReplayOptions {
  readonly days: number;
  readonly against?: string;
  readonly json?: true;
}

function replayCommand(): Command {
  return new Command('replay')
    .argument('<name>', 'of a policy in PROCTOR_POLICY_DIR')
    .description('apply a policy to what stored decisions rest on: whose reward would change, and by which rule')
    .option('--days <n>', 'decisions of the last days', wholeNumber, DEFAULT_DAYS)
    .option('--against <name>', 'compare with this policy instead of with what was decided')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ proctor policy replay training --days 7\n  $ proctor policy replay strict --against default --json',
    )
    .action((name: string, { days, against, json }: ReplayOptions) =>
      withDatabase(async (database) => {
        const policies = openPolicies(loadConfig().policyFolder);
        const request = { policy: name, against: against ?? null, since: daysAgo(days), tell };
        show(await replayPolicy({ database, policies }, request), json);
      }),
    );
}

function shadowCommand(): Command {
  return new Command('shadow')
    .argument('[name]', 'of the policy that ran beside the live one; by default PROCTOR_SHADOW_POLICY')
    .description('sum up what a policy decided beside the live one, and how that differs')
    .option('--days <n>', 'decisions of the last days', wholeNumber, DEFAULT_DAYS)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor policy shadow training --days 1')
    .action((given: string | undefined, { days, json }: ReplayOptions) =>
      withDatabase(async (database) => {
        const policy = given ?? loadConfig().shadowPolicy;
        if (policy === null) throw new ProctorError('bad-request', 'name a policy, or set PROCTOR_SHADOW_POLICY');
        show(await compareShadow(database, { policy, since: daysAgo(days), tell }), json);
      }),
    );
}

function show(report: ReplayReport, json: true | undefined): void {
  progress('');
  if (json) printJson(report);
  else printReplay(report);
}

const tell = (done: number) => progress(`${done} decisions`);
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** A name is one of the folder of policies; what has a slash or an ending is a path. */
function pathOf(file: string): string {
  return /[/.]/.test(file) ? file : join(loadConfig().policyFolder, `${file}.yaml`);
}

async function textOf(path: string): Promise<{ file: string; source: string }> {
  return { file: basename(path), source: await readTextFile(path, MOST_BYTES) };
}
