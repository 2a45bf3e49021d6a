import type { Queryable } from '../../platform/db/database.ts';
import { findDecisionPolicy } from '../policy/decision-store.ts';
import { findGate } from '../task/admission-store.ts';
import type { RewardRow } from './reward.ts';

/**
 * Why a reward may not be given out: its task was never audited, or the newest audit found that it needs work, and the policy
 * that decided does not pay for such tasks. Null when it may. An audit that comes later opens the rewards that were made before.
 */
export async function whyNotAdmitted(
  database: Queryable,
  { artifactId, decisionId }: Pick<RewardRow, 'artifactId' | 'decisionId'>,
): Promise<string | null> {
  const { task, gate } = await findGate(database, artifactId);
  if (gate === 'admitted') return null;
  const { rules } = await findDecisionPolicy(database, decisionId);
  if (rules.unadmitted === 'pay') return null;
  const found = gate === null ? 'was never audited' : 'was audited and needs work';
  return `the task ${task} ${found}; run: proctor audit FOLDER --record, or say "unadmitted: pay" in policy ${rules.id}`;
}
