import { Command } from 'commander';
import { ProctorError } from '../../platform/base/errors.ts';
import { buildReference } from '../../stages/profile/build-reference.ts';
import { type EvaluatedRun, type Evaluation, evaluate, type Found } from '../../stages/profile/evaluate.ts';
import { explainScore } from '../../stages/profile/explain.ts';
import type { Share } from '../../stages/profile/interval.ts';
import { openReference } from '../../stages/profile/reference.ts';
import { scoreSession } from '../../stages/profile/score.ts';
import { printJson, progress, table } from '../output.ts';
import { readLabelled } from '../read-labelled.ts';

const LEAST_HONEST = 20;
const MOST_TIMED = 2_000;
const HELP = `
Each line is one session: {"id": …, "cohort": …, "group": …, "label": "honest" or the kind of its cheat, "touched": […],
and either "behaviour": {"features": {…}, …} or "trajectory": {"steps": […]} with "facts": {…}}; see docs/profiles.md.

Examples:
  $ proctor profile evaluate scripts/recorder-set/recorded.jsonl.gz
  $ proctor profile evaluate my-runs.jsonl --json`;

/** `proctor profile evaluate`: what profiles find of a labelled set, and whom they accuse wrongly. */
export function evaluateCommand(): Command {
  return new Command('evaluate')
    .argument('<file>', 'labelled sessions, one JSON object a line; .gz is unpacked')
    .description('say what profiles find of labelled sessions, and how often they flag honest ones')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (file: string, options: { json?: true }) => {
      const runs = await readLabelled(file);
      const honest = runs.filter(({ cheat }) => cheat === null);
      if (honest.length < LEAST_HONEST) {
        throw new ProctorError(
          'bad-request',
          `${file} has ${honest.length} honest sessions; at least ${LEAST_HONEST} are needed`,
        );
      }
      const evaluation = evaluate(runs, (done, of) => progress(`part ${done} of ${of}`));
      progress('');
      const microseconds = timeScores(honest);
      if (options.json) printJson({ ...evaluation, microseconds });
      else print(evaluation, microseconds);
    });
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** How long one session takes to be measured, scored and explained against a reference of the honest ones. */
function timeScores(honest: readonly EvaluatedRun[]): Times {
  const reference = openReference(buildReference(honest, { cohort: 'evaluated', window: 'evaluated' }));
  const times = honest.slice(0, MOST_TIMED).map(({ behaviour }) => {
    const startedMs = performance.now();
    explainScore(reference, scoreSession(reference, { behaviour, group: [] }));
    return (performance.now() - startedMs) * 1_000;
  });
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}

function print({ honest, cheats, unknown, auc, ...told }: Evaluation, { p50, p99 }: Times): void {
  console.log(`${honest} honest sessions, ${cheats} cheats, ${unknown} of unknown behaviour`);
  console.log(`area under the curve: ${auc === null ? 'unknown' : auc.toFixed(3)}\n`);
  const rows = [...told.kinds, told.all].map(({ kind, sessions, recall, explained }: Found) => [
    ...[kind, String(sessions), ...recall.map(percent)],
    explained === null ? '–' : percent(explained.share),
  ]);
  console.log(table([['cheat', 'sessions', 'found at 1 %', 'at 0.1 %', 'explained rightly'], ...rows]));
  const [one, tenth] = told.flagged;
  console.log(`\nhonest flagged at 1 %: ${withInterval(one)}; at 0.1 %: ${withInterval(tenth)}`);
  if (told.worst !== null)
    console.log(`worst cohort at 1 %: ${told.worst.cohort}, ${withInterval(told.worst.flagged)}`);
  if (told.leastP > 0.001) console.log('too few honest sessions to flag anything at 0.1 %: 999 must calibrate');
  console.log(`a session takes ${p50} µs (p50), ${p99} µs (p99) to be scored and explained`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function withInterval(share: Share | undefined): string {
  if (share === undefined) return '–';
  const { hits, of, low, high } = share;
  return `${hits} of ${of} (${percent(share.share)}, 95 %: ${percent(low)} to ${percent(high)})`;
}
