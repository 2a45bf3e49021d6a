import type { CgroupHome } from './cgroup.ts';
import { findCgroupV1 } from './cgroup-v1.ts';
import { findCgroupV2 } from './cgroup-v2.ts';

const CGROUP_MOUNT = '/sys/fs/cgroup';

/** The best cgroup home that this process may use, or null where only rlimits are left. */
export function findCgroupHome(): CgroupHome | null {
  return findCgroupV2(CGROUP_MOUNT) ?? findCgroupV1(CGROUP_MOUNT);
}
