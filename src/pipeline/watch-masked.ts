import type { Log } from '../platform/base/log.ts';
import type { Database } from '../platform/db/database.ts';
import { queueRunEvent } from '../stages/reward/webhook-store.ts';
import { countRecent, findRunsOf, saveRunAlarm } from '../stages/run/run-facts-store.ts';

const LOOK_EVERY_MS = 5_000;
/** Rewards between two looks that are remembered; with more, a run of which none is remembered is looked at the next time. */
const MOST_NOTED = 10_000;

/** The alarm's name in `run_alarms`. */
export const MASKED_SHARE = 'masked-share';

/** What runs are watched with. */
export interface RunGuardParts {
  readonly database: Database;
  readonly log: Log;
  /** An alarm is raised above the share `most`, once `least` rewards are there. */
  readonly bound: { readonly most: number; readonly least: number };
  readonly alarmed?: (() => void) | undefined;
}

/**
 * Watches the share of masked rewards among the newest hand-ins of each run that gets rewards from this process: a platform that masks much
 * trains on little, and says so nowhere else. An alarm is raised once for a run.
 */
export function startRunGuard(parts: RunGuardParts): { note(artifactId: string): void; stop(): Promise<void> } {
  const noted = new Set<string>();
  let running: Promise<unknown> | null = null;
  const look = () => {
    if (noted.size === 0 || running !== null) return;
    const ids = [...noted];
    noted.clear();
    running = lookAtRuns(parts, ids)
      .catch((err) => parts.log.warn({ err }, 'the masked shares of runs could not be looked at'))
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    note(artifactId) {
      if (noted.size < MOST_NOTED) noted.add(artifactId);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Raises an alarm for each run of these hand-ins whose share is too high, and has none yet. */
export async function lookAtRuns(
  { database, log, bound, alarmed }: RunGuardParts,
  artifactIds: readonly string[],
): Promise<void> {
  if (bound.most >= 1) return;
  for (const run of await findRunsOf(database, artifactIds)) {
    const { rewarded, masked } = await countRecent(database, run);
    if (rewarded < bound.least || masked / rewarded <= bound.most) continue;
    const body = { rewarded, masked, share: masked / rewarded, most: bound.most };
    const isFirst = await database.transaction(async (transaction) => {
      const added = await saveRunAlarm(transaction, run, { kind: MASKED_SHARE, body });
      if (added) await queueRunEvent(transaction, { type: 'run.alarm', run, data: { kind: MASKED_SHARE, ...body } });
      return added;
    });
    if (!isFirst) continue;
    log.error({ run, ...body }, 'too many rewards of a run are masked');
    alarmed?.();
  }
}
