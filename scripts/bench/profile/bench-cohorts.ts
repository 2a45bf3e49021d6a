import { type Random, randomOf } from '../../../src/bin/simulator/random.ts';
import { buildReference, type HonestRun } from '../../../src/stages/profile/build-reference.ts';
import { shareOf } from '../../../src/stages/profile/interval.ts';
import { openReference } from '../../../src/stages/profile/reference.ts';
import { scoreSession } from '../../../src/stages/profile/score.ts';
import { type Aim, aimOf } from '../measure.ts';
import { honestPool } from './bench-simulated.ts';
import type { ProfileRow } from './profile-row.ts';

/** Honest sessions of a cohort, fitted and calibrating together, and how many cohorts of each size are drawn. */
const COHORTS = [
  { sessions: 32, cohorts: 60 },
  { sessions: 104, cohorts: 40 },
  { sessions: 304, cohorts: 30 },
  { sessions: 1_000, cohorts: 20 },
  { sessions: 3_000, cohorts: 10 },
] as const;
/** Prompts that are asked of each cohort. One session of each: those of one prompt are odd together, and are no four hundred trials. */
const ASKED_GROUPS = 200;
const POOL_GROUPS = 1_600;
const GROUP = 8;
const NOMINAL = 0.05;
const SEED = 51;

/**
 * Honest sessions that are flagged at a nominal 5 %, in cohorts of 32 to 3,000, drawn from one pool (large ones overlap). The bound
 * is one over the draw of the cohort: a size breaks it when the mean of its cohorts is more than two standard errors above.
 */
export function benchCohorts(): { readonly rows: readonly ProfileRow[]; readonly aims: readonly Aim[] } {
  const pool = honestPool(POOL_GROUPS, SEED);
  const random = randomOf(SEED);
  const rows: ProfileRow[] = [];
  let broken = 0;
  for (const { sessions, cohorts } of COHORTS) {
    const shares = Array.from({ length: cohorts }, () => {
      return flaggedIn(drawn(pool, sessions + ASKED_GROUPS * GROUP, random), sessions);
    });
    const all = shareOf(
      shares.reduce((sum, { hits }) => sum + hits, 0),
      shares.reduce((sum, { of }) => sum + of, 0),
    );
    const worst = shares.reduce((most, one) => (one.share > most.share ? one : most));
    const error = standardError(shares.map(({ share }) => share));
    if (all.share - 2 * error > NOMINAL) broken++;
    const told = `worst cohort ${worst.share.toFixed(4)} [${worst.low.toFixed(4)}, ${worst.high.toFixed(4)}]`;
    rows.push({
      name: `cohorts of ${sessions} honest sessions: honest flagged at 5 %`,
      ...{ value: all.share, n: all.of, hits: all.hits, low: all.low, high: all.high },
      note: `${cohorts} cohorts, standard error over them ${error.toFixed(4)}; ${told}`,
    });
  }
  const name = 'cohort sizes whose realised error is above its bound';
  return { rows, aims: [aimOf(name, { value: broken, unit: '' }, { most: 0 })] };
}

function standardError(shares: readonly number[]): number {
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return Math.sqrt(squares / (shares.length - 1) / shares.length);
}

/** So many sessions, whole groups of them, in a new order. */
function drawn(pool: readonly HonestRun[], count: number, random: Random): readonly HonestRun[] {
  const groups = Array.from({ length: Math.floor(pool.length / GROUP) }, (_, index) => ({ index, key: random.next() }));
  return groups
    .sort((one, other) => one.key - other.key)
    .slice(0, count / GROUP)
    .flatMap(({ index }) => pool.slice(index * GROUP, (index + 1) * GROUP));
}

function flaggedIn(runs: readonly HonestRun[], sessions: number) {
  const reference = openReference(buildReference(runs.slice(0, sessions), { cohort: 'drawn', window: '1' }));
  const asked = runs.slice(sessions);
  let hits = 0;
  for (let first = 0; first < asked.length; first += GROUP) {
    const [one, ...others] = asked.slice(first, first + GROUP).map(({ behaviour }) => behaviour);
    if (one !== undefined && (scoreSession(reference, { behaviour: one, group: others }).p ?? 1) <= NOMINAL) hits++;
  }
  return shareOf(hits, asked.length / GROUP);
}
