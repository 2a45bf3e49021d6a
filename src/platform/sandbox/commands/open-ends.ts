import { closeSync, openSync } from 'node:fs';
import { messageOf, ProctorError } from '../../base/errors.ts';

/** Opens all of these ends of pipes or, when descriptors run out on the way, none; `sandbox-failed`. */
export function openEnds(ends: readonly (readonly [path: string, flags: number])[]): readonly number[] {
  const opened: number[] = [];
  try {
    for (const [path, flags] of ends) opened.push(openSync(path, flags));
    return opened;
  } catch (cause) {
    for (const descriptor of opened) closeSync(descriptor);
    throw new ProctorError('sandbox-failed', `pipes cannot be opened: ${messageOf(cause)}`, {}, { cause });
  }
}
