import type { Aim } from './measure.ts';
import { benchAdfa } from './profile/bench-adfa.ts';
import { benchAlarms } from './profile/bench-alarms.ts';
import { benchCohorts } from './profile/bench-cohorts.ts';
import { benchRecorded } from './profile/bench-recorded.ts';
import { benchSimulated } from './profile/bench-simulated.ts';
import { benchSwe } from './profile/bench-swe.ts';
import { benchTime } from './profile/bench-time.ts';
import type { ProfileRow } from './profile/profile-row.ts';

/** Where the public data are: `swe-agent-runs.jsonl.gz` and `adfa-ld.zip`. */
const DATA_VARIABLE = 'PROCTOR_PROFILE_DATA';

interface Part {
  readonly rows: readonly ProfileRow[];
  readonly aims: readonly Aim[];
}

/**
 * Behaviour profiles: a simulator of the repository, public data with injected cheats and with labels, alarms, and what it all
 * costs. How cheats are injected, sessions are split and thresholds are taken stands beside each part in `profile/`.
 */
export async function benchProfile(): Promise<Part> {
  // first, while the heap is small
  const time = benchTime();
  const simulated = benchSimulated();
  const alarms = benchAlarms(simulated.pValues);
  const folder = process.env[DATA_VARIABLE];
  const parts: Part[] = [time, simulated, benchCohorts(), alarms, await benchRecorded()];
  if (folder === undefined || folder === '') {
    parts.push({
      rows: [{ name: `public data: left out (${DATA_VARIABLE} names no folder)`, value: null, n: 0 }],
      aims: [],
    });
  } else parts.push(await benchSwe(folder), benchAdfa(folder));
  return { rows: parts.flatMap(({ rows }) => rows.map(rounded)), aims: parts.flatMap(({ aims }) => aims) };
}

function rounded(row: ProfileRow): ProfileRow {
  const entries = Object.entries(row).map(([key, value]) => [
    key,
    typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value,
  ]);
  return Object.fromEntries(entries) as ProfileRow;
}
