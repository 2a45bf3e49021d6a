import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Database } from '../platform/db/database.ts';
import { findInstance } from '../stages/instance/instance-store.ts';
import { DEFAULT_POLICY } from '../stages/policy/choose-policy.ts';
import { houseRulesOf } from '../stages/policy/enforce.ts';
import type { Policies } from '../stages/policy/load-policy.ts';
import type { HouseRules } from '../stages/session/house-rules.ts';
import { findTask } from '../stages/task/task-store.ts';

/** The rules that are enforced in sessions on an instance: those of its task's policy. `policy-invalid`. */
export async function houseRulesFor(
  parts: { readonly database: Database; readonly blobs: Blobs; readonly policies: Policies },
  instanceId: string,
): Promise<HouseRules> {
  const { taskDigest } = await findInstance(parts.database, instanceId);
  const { definition } = await findTask(parts, taskDigest);
  return houseRulesOf(await parts.policies.find(definition.proctor.policy ?? DEFAULT_POLICY));
}
