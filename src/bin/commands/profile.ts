import { Command } from 'commander';
import { fitReference } from '../../pipeline/fit-reference.ts';
import { type ProfiledSession, profileSession } from '../../pipeline/profile-session.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import { explainScore } from '../../stages/profile/explain.ts';
import { openReference } from '../../stages/profile/reference.ts';
import { findReference, listReferences } from '../../stages/profile/reference-store.ts';
import { scoreSession } from '../../stages/profile/score.ts';
import { unseenAccess } from '../../stages/profile/unseen-access.ts';
import { cohortRule, proposeWeight } from '../../stages/profile/weight.ts';
import type { Service } from '../open-service.ts';
import { moment } from '../option-values.ts';
import { printJson, progress, table } from '../output.ts';
import { printProfile, type ShownProfile, valuesOf } from '../print-profile.ts';
import { withDatabase, withService } from '../with-service.ts';
import { backfillCommand } from './profile-backfill.ts';

/** `proctor profile`: how sessions behave, beside honest ones. */
export function profileCommand(): Command {
  return new Command('profile')
    .description('count what sessions did, and compare it with honest sessions of the task')
    .addCommand(showCommand())
    .addCommand(fitCommand())
    .addCommand(backfillCommand())
    .addCommand(listCommand());
}

function showCommand(): Command {
  return new Command('show')
    .argument('<session>', 'its id; it must have ended')
    .description('show the features of a session and, where there is a reference, how odd they are and why')
    .option('--window <name>', 'of the reference; by default the newest one of the task')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor profile show sess_…')
    .action((id: string, options: { window?: string; json?: true }) =>
      withService(async ({ parts }) => {
        const profile = await profileOf(parts, await profileSession(parts, id), options.window);
        if (options.json) printJson(profile);
        else printProfile(profile);
      }),
    );
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

async function profileOf(
  { database }: Service['parts'],
  profiled: ProfiledSession,
  window: string | undefined,
): Promise<ShownProfile> {
  const { session, task, behaviour, verdict, isRecorded } = profiled;
  const shown = { session: session.id, task, isRecorded, features: valuesOf(behaviour) };
  const found = await findReference(database, task, window ?? null);
  if (found === null) return { ...shown, reference: null, score: null };
  const reference = openReference(found.reference);
  const score = scoreSession(reference, { behaviour, group: [] });
  const rule = cohortRule(reference.calibration.all.length);
  const isCorroborated = (verdict?.signals ?? []).some(({ severity }) => severity !== 'note');
  const { p, leading, testP } = score;
  const hasUnseenAccess = unseenAccess(reference, score).length > 0;
  // without the cohort's recent sessions there is no gate to open: what is odd is for people
  const weighed = proposeWeight({
    p,
    accessP: testP.A,
    leading,
    gate: 0,
    rule,
    isNewWindow: false,
    hasUnseenAccess,
    isCorroborated,
  });
  return {
    ...shown,
    reference: found.stored,
    score: { p, testP, ...weighed, explanation: explainScore(reference, score) },
  };
}
