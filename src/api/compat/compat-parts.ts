import type { ApiParts } from '../api-parts.ts';
import type { DrawnInstances } from './item-of.ts';
import type { Siblings } from './plain-reward.ts';

/** What the other trainers’ formats work with. */
export interface CompatParts {
  readonly parts: ApiParts;
  readonly drawn: DrawnInstances;
  readonly siblings: Siblings;
}
