/** trainer: fetches rewards · harness: makes instances and hands in · reviewer: sees verdicts · admin: everything. */
export const ROLES = ['trainer', 'harness', 'reviewer', 'admin'] as const;
export type Role = (typeof ROLES)[number];
