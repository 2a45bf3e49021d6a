import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readLabelled } from '../../../src/bin/read-labelled.ts';
import { clusterSessions } from '../../../src/stages/profile/cluster-sessions.ts';
import { evaluate, LEVELS } from '../../../src/stages/profile/evaluate.ts';
import { shapeOf } from '../../../src/stages/profile/measure-rarity.ts';
import type { Aim } from '../measure.ts';
import type { ProfileRow } from './profile-row.ts';

const FILE = fileURLToPath(new URL('../../recorder-set/recorded.jsonl.gz', import.meta.url));

/** The project's own set: scripted sessions that a recorder watched in real workspaces (`npm run recorder-set`). */
export async function benchRecorded(): Promise<{ rows: readonly ProfileRow[]; aims: readonly Aim[] }> {
  if (!existsSync(FILE))
    return { rows: [{ name: 'recorded: left out (no recorded set)', value: null, n: 0 }], aims: [] };
  const runs = await readLabelled(FILE);
  const { all, kinds, flagged, worst, auc, honest } = evaluate(runs);
  const [one, tenth] = LEVELS;
  const rows: ProfileRow[] = [
    { name: 'recorded: area under the curve', value: auc, n: honest + all.sessions },
    ...[all, ...kinds].map(({ kind, sessions, recall, explained }) => ({
      ...{ name: `recorded, ${kind}: found at ${one * 100} %`, value: recall[0] ?? null, n: sessions },
      note: `at ${tenth * 100} %: ${(recall[1] ?? 0).toFixed(3)}; touched family named first: ${explained === null ? '–' : explained.share.toFixed(3)}`,
    })),
    ...flagged.map(({ share, of, hits, low, high }, at) => ({
      ...{ name: `recorded: honest flagged at ${(LEVELS[at] ?? 0) * 100} %`, value: share, n: of, hits, low, high },
    })),
  ];
  if (worst !== null) {
    const { share, of, hits, low, high } = worst.flagged;
    rows.push({
      name: `recorded, worst cohort (${worst.cohort}): honest flagged at 1 %`,
      value: share,
      n: of,
      hits,
      low,
      high,
    });
  }
  const sessions = runs.map(({ id, behaviour }) => ({ session: id, values: shapeOf(behaviour) }));
  const startedMs = performance.now();
  const { clusters, sessions: clustered } = clusterSessions(sessions, { cohort: 'recorded', previous: null });
  const note = `${Math.round(performance.now() - startedMs)} ms`;
  rows.push({ name: 'recorded: clusters', value: clusters.length, n: clustered, note });
  return { rows, aims: [] };
}
