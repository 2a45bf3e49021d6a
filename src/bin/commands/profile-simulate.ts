import { Command, InvalidArgumentError } from 'commander';
import { buildReference } from '../../stages/profile/build-reference.ts';
import { type Share, shareOf } from '../../stages/profile/interval.ts';
import { type OpenReference, openReference, TESTS, type TestName } from '../../stages/profile/reference.ts';
import { bet, hasShifted, NEW_MARTINGALE, SHIFT_WINDOW, shiftAlarm } from '../../stages/profile/shift-alarm.ts';
import { printJson, progress, table } from '../output.ts';
import { CHEATS, type Cheat } from '../simulator/cheats.ts';
import { type Random, randomOf } from '../simulator/random.ts';
import { type Mixture, ROLLOUTS, type Simulated, scoreCohort, simulateCohort } from '../simulator/simulate-cohort.ts';

const LEVEL = 0.01;
const HELP = `
Nothing is run and nothing stored: logs are made up in the standard format, by honest styles of work and ten kinds of cheats.

Examples:
  $ proctor profile simulate
  $ proctor profile simulate --cheaters 0,5,20 --drift 1 --groups 100
  $ proctor profile simulate --kind "git mining" --seed 7 --json`;

interface SimulateOptions {
  readonly groups: number;
  readonly reference: number;
  readonly cheaters: readonly number[];
  readonly drift: readonly number[];
  readonly kind?: Cheat;
  readonly seed: number;
  readonly json?: true;
}

/** `proctor profile simulate`: what a frozen reference finds of cohorts with so many cheaters, and of honest drift. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description('try profiles on made-up cohorts: honest styles, ten kinds of cheats, shares of cheaters, drift')
    .option('--groups <n>', 'prompts of each cohort, eight rollouts each', numberIn(1, 2_000), 60)
    .option('--reference <n>', 'prompts of the honest reference', numberIn(8, 2_000), 400)
    .option('--cheaters <list>', 'percent of cheaters', listIn(0, 100), [0, 10, 25, 50, 75, 90])
    .option('--drift <list>', 'how much longer honest work has become', listIn(0.2, 10), [1, 1.3, 2])
    .option('--kind <cheat>', `only this kind: ${CHEATS.join(', ')}`, cheatOf)
    .option('--seed <n>', 'of chance; the same gives the same', numberIn(0, 2 ** 31), 11)
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((options: SimulateOptions) => {
      const random = randomOf(options.seed);
      const honest = { groups: options.reference, cheaterPercent: 0, drift: 1, kinds: CHEATS };
      const built = buildReference(simulateCohort(honest, random), { cohort: 'simulated', window: 'simulated' });
      const reference = openReference(built);
      const cohorts = options.drift.flatMap((drift) =>
        // drift is honest: cheaters are mixed in only where there is none
        (drift === 1 ? options.cheaters : [0]).map((cheaterPercent) => {
          progress(`${cheaterPercent} % cheaters, drift ${drift}`);
          const kinds = options.kind === undefined ? CHEATS : [options.kind];
          return tryCohort(reference, { groups: options.groups, cheaterPercent, drift, kinds }, random);
        }),
      );
      progress('');
      if (options.json) printJson({ seed: options.seed, calibration: reference.calibration.all.length, cohorts });
      else print(cohorts, reference);
    });
}

interface Told {
  readonly cheaterPercent: number;
  readonly drift: number;
  readonly honest: Share;
  readonly cheats: Share;
  readonly byKind: Readonly<Partial<Record<Cheat, Share>>>;
  readonly honestByTest: Readonly<Record<TestName, number>>;
  /** Of the whole windows of 200 sessions, those that are alarmed. */
  readonly alarms: { readonly windows: number; readonly alarmed: number };
  /** After how many sessions the martingale alarmed; null: not within the cohort. */
  readonly martingaleAfter: number | null;
}

function tryCohort(reference: OpenReference, mixture: Mixture, random: Random): Told {
  const told = scoreCohort(reference, mixture, random);
  const [honest, cheats] = [told.filter(({ cheat }) => cheat === null), told.filter(({ cheat }) => cheat !== null)];
  const byKind = Object.fromEntries(
    mixture.kinds.map((kind) => [kind, flagged(cheats.filter(({ cheat }) => cheat === kind))]),
  );
  const byTest = TESTS.map((test) => [
    test,
    honest.filter(({ score }) => (score.testP[test] ?? 1) <= LEVEL).length / Math.max(1, honest.length),
  ]);
  const pValues = told.map(({ score }) => score.p ?? 1);
  const windows = Math.floor(pValues.length / SHIFT_WINDOW);
  const alarmed = Array.from({ length: windows }, (_, at) =>
    shiftAlarm(pValues.slice(at * SHIFT_WINDOW, (at + 1) * SHIFT_WINDOW)),
  );
  let martingale = NEW_MARTINGALE;
  for (const p of pValues) if (!hasShifted(martingale)) martingale = bet(martingale, p);
  return {
    ...{
      cheaterPercent: mixture.cheaterPercent,
      drift: mixture.drift,
      honest: flagged(honest),
      cheats: flagged(cheats),
    },
    ...{ byKind, honestByTest: Object.fromEntries(byTest) as Record<TestName, number> },
    alarms: { windows, alarmed: alarmed.filter(({ isAlarm }) => isAlarm).length },
    martingaleAfter: hasShifted(martingale) ? martingale.sessions : null,
  };
}

function flagged(some: readonly Simulated[]): Share {
  return shareOf(some.filter(({ score }) => score.p !== null && score.p <= LEVEL).length, some.length);
}

function print(cohorts: readonly Told[], reference: OpenReference): void {
  console.log(
    `reference of ${reference.sessions} honest sessions, ${reference.calibration.all.length} calibrate; flagged at ${percent(LEVEL)}\n`,
  );
  const rows = cohorts.map(({ cheaterPercent, drift, honest, cheats, alarms, martingaleAfter }) => [
    ...[`${cheaterPercent} %`, `× ${drift}`],
    `${percent(honest.share)} (${percent(honest.low)} to ${percent(honest.high)})`,
    cheats.of === 0 ? '–' : percent(cheats.share),
    `${alarms.alarmed} of ${alarms.windows}`,
    martingaleAfter === null ? 'none' : `after ${martingaleAfter}`,
  ]);
  const head = ['cheaters', 'drift', 'honest flagged (95 %)', 'cheats found', 'windows alarmed', 'martingale'];
  console.log(table([head, ...rows]));
  const mixed = cohorts.find(({ cheats }) => cheats.of > 0);
  if (mixed === undefined) return;
  const kinds = Object.entries(mixed.byKind).map(([kind, { of, share }]) => [
    kind,
    String(of),
    of === 0 ? '–' : percent(share),
  ]);
  console.log(`\n${table([[`cheat, at ${mixed.cheaterPercent} % cheaters`, 'sessions', 'found'], ...kinds])}`);
  console.log(`\nsessions of one prompt: ${ROLLOUTS}`);
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

function numberIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,10}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most} is needed`);
  };
}

function listIn(least: number, most: number): (text: string) => readonly number[] {
  return (text) => {
    const values = text.split(',').map(Number);
    if (text.length <= 100 && values.every((value) => value >= least && value <= most)) return values;
    throw new InvalidArgumentError(`numbers from ${least} to ${most} with commas between them are needed`);
  };
}

function cheatOf(text: string): Cheat {
  const found = CHEATS.find((cheat) => cheat === text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`there are: ${CHEATS.join(', ')}`);
}
