import { Command, Option } from 'commander';
import { fitReference } from '../../pipeline/fit-reference.ts';
import { profileSession } from '../../pipeline/profile-session.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { extractTrajectory } from '../../stages/profile/extract-trajectory.ts';
import { importTrajectory, TRAJECTORY_FORMATS, type TrajectoryFormat } from '../../stages/profile/import-trajectory.ts';
import { listReferences } from '../../stages/profile/reference-store.ts';
import { moment } from '../option-values.ts';
import { onScreen, printJson, progress, table } from '../output.ts';
import { printProfile, type ShownProfile, valuesOf } from '../print-profile.ts';
import { profileOf } from '../profile-of.ts';
import { readTextFile } from '../read-text-file.ts';
import { withDatabase, withService } from '../with-service.ts';
import { backfillCommand } from './profile-backfill.ts';
import { clusterCommand } from './profile-cluster.ts';
import { evaluateCommand } from './profile-evaluate.ts';
import { explainCommand } from './profile-explain.ts';
import { simulateCommand } from './profile-simulate.ts';

/** `proctor profile`: how sessions behave, beside honest ones. */
export function profileCommand(): Command {
  return new Command('profile')
    .description('count what sessions did, and compare it with honest sessions of the task')
    .addCommand(showCommand())
    .addCommand(explainCommand())
    .addCommand(fitCommand())
    .addCommand(backfillCommand())
    .addCommand(listCommand())
    .addCommand(clusterCommand())
    .addCommand(evaluateCommand())
    .addCommand(simulateCommand());
}

interface ShowOptions {
  readonly window?: string;
  readonly file?: string;
  readonly format?: TrajectoryFormat;
  readonly task?: string;
  readonly json?: true;
}

const SHOW_HELP = `
Examples:
  $ proctor profile show sess_…
  $ proctor profile show --file run.traj
  $ proctor profile show --file messages.json --format openai --task proctor/wordtool`;

function showCommand(): Command {
  return new Command('show')
    .argument('[session]', 'its id; it must have ended')
    .description('show the features of a session and, where there is a reference, how odd they are and why')
    .option('--window <name>', 'of the reference; by default the newest one of the task')
    .option('--file <file>', 'a session that ran elsewhere, instead of one of this service')
    .addOption(new Option('--format <name>', 'of the file; by default found out').choices(TRAJECTORY_FORMATS))
    .option('--task <name>', 'the task whose reference a file is compared with')
    .option('--json', 'print one JSON document')
    .addHelpText('after', SHOW_HELP)
    .action(async (id: string | undefined, options: ShowOptions) => {
      if ((id === undefined) === (options.file === undefined)) {
        throw new ProctorError('bad-request', 'name either a session or a --file');
      }
      const show = (profile: ShownProfile) => (options.json ? printJson(profile) : printProfile(profile));
      if (options.file !== undefined) return showFile(options.file, options, show);
      return withService(async ({ parts }) => {
        const { session, verdict, ...profiled } = await profileSession(parts, id as string);
        const isCorroborated = (verdict?.signals ?? []).some(({ severity }) => severity !== 'note');
        show(await profileOf(parts.database, { ...profiled, session: session.id, isCorroborated }, options.window));
      });
    });
}

/** A trajectory may be long; more than this is no session. */
const MOST_FILE_BYTES = 67_108_864;
const NO_FACTS = { workspace: '/work', forbiddenPaths: [], harnessPaths: [], decoyPaths: [] };

/** Shows what a file says was done: its own word, compared only where a task is named. */
async function showFile(file: string, options: ShowOptions, show: (profile: ShownProfile) => void): Promise<void> {
  const trajectory = importTrajectory(await readTextFile(file, MOST_FILE_BYTES), options.format);
  const behaviour = extractTrajectory(trajectory, NO_FACTS);
  const { task, window } = options;
  const told = {
    session: onScreen(file),
    task: task ?? 'no task',
    behaviour,
    isRecorded: false,
    isCorroborated: false,
  };
  if (task !== undefined) return withDatabase(async (database) => show(await profileOf(database, told, window)));
  const { session, isRecorded } = told;
  show({ session, isRecorded, task: told.task, features: valuesOf(behaviour), reference: null, score: null });
}

interface FitOptions {
  readonly window: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly reviewed?: true;
  readonly json?: true;
}

function fitCommand(): Command {
  return new Command('fit')
    .argument('<task>', 'name of a registered task')
    .requiredOption('--window <name>', 'the window of the policy (a model’s version) in which the sessions were made')
    .option('--since <time>', 'only sessions opened from then on (ISO 8601)', moment)
    .option('--until <time>', 'only sessions opened before then', moment)
    .option('--reviewed', 'a person has reviewed the sessions of this policy as honest')
    .description('make a reference of honest sessions; it is stored for good under its digest')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor profile fit proctor/wordtool --window model-7 --reviewed')
    .action((task: string, options: FitOptions) => {
      if (!options.reviewed) {
        throw new ProctorError(
          'bad-request',
          'a reference that the running cohort teaches itself finds no cheats once they are many: review the sessions of one policy, then say --reviewed',
        );
      }
      return withService(async ({ parts }) => {
        const tell = (done: number, of: number) => progress(`${done} of ${of} sessions`);
        const fitted = await fitReference(parts, { task, ...options }, tell);
        progress('');
        if (options.json) return printJson(fitted);
        const refused = Object.entries(fitted.refused).map(([why, count]) => `${count} ${why}`);
        console.log(
          `${fitted.digest}\n${fitted.admitted} sessions${refused.length > 0 ? `; left out: ${refused.join(', ')}` : ''}`,
        );
        console.log(
          `${fitted.calibration} calibrate: ${fitted.rule.mayWeigh ? 'weights may be lowered' : 'for review only, weights stay 1'}`,
        );
      });
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('list references, the newest first')
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      withDatabase(async (database) => {
        const references = await listReferences(database, 100);
        if (options.json) return printJson({ references });
        if (references.length === 0) return console.log('there are no references');
        const rows = references.map(({ digest, task, window, sessions, createdAt }) => [
          ...[digest, task, window, String(sessions), createdAt.toISOString()],
        ]);
        console.log(table([['reference', 'task', 'window', 'sessions', 'made'], ...rows]));
      }),
    );
}
