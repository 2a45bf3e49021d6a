import { digestOf } from '../../platform/base/digest.ts';
import type { Candidate } from './candidate.ts';

export type Side = 'train' | 'test';

/** Which prompt group an episode is of, and on which side of the split that is. */
export interface PromptGroup {
  readonly key: string;
  readonly side: Side;
}

type Grouped = Pick<Candidate, 'id' | 'instance' | 'trainerGroup'>;

/**
 * Puts episodes into prompt groups: those of one instance, and those that a trainer called one group, together with all that either is
 * joined to. Each group as a whole is on one side, by a hash of the seed and its name, so that a group that is there again stays where it was.
 */
export function groupPrompts(
  candidates: Iterable<Grouped>,
  { seed, heldOut }: { readonly seed: string; readonly heldOut: number },
): (candidate: Grouped) => PromptGroup {
  const parents = new Map<string, string>();
  for (const candidate of candidates) {
    const instance = rootOf(parents, candidate.instance);
    if (candidate.trainerGroup === null) continue;
    const other = rootOf(parents, candidate.trainerGroup);
    // the least name is the root, whatever came first; an instance's digest is less than no JSON list
    if (instance < other) parents.set(other, instance);
    else if (other < instance) parents.set(instance, other);
  }
  const sides = new Map<string, PromptGroup>();
  return ({ instance }) => {
    const root = rootOf(parents, instance);
    const known = sides.get(root);
    if (known !== undefined) return known;
    const hash = digestOf(`proctor/split/1\0${seed}\0${root}`).slice('sha256:'.length);
    const isHeldOut = Number.parseInt(hash.slice(0, 12), 16) / 2 ** 48 < heldOut;
    const group = { key: hash.slice(0, 16), side: isHeldOut ? 'test' : 'train' } as const;
    sides.set(root, group);
    return group;
  };
}

function rootOf(parents: Map<string, string>, name: string): string {
  let root = name;
  for (let above = parents.get(root); above !== undefined && above !== root; above = parents.get(root)) root = above;
  // later look-ups are one step
  for (let at = name; at !== root; ) {
    const above = parents.get(at) ?? root;
    parents.set(at, root);
    at = above;
  }
  if (!parents.has(name)) parents.set(name, root);
  return root;
}
