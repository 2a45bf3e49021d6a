import { z } from 'zod';
import { ProctorError } from '../../../platform/base/errors.ts';
import type { Task } from '../../task/task.ts';
import { REQUIRED_FILE, readRequiredFile } from '../required-tests.ts';

const nativeTestSchema = z.strictObject({
  /** The split's; says nothing here. */
  words: z.unknown().optional(),
  /** False for a test whose twins were seen to pass with the reference: none is made of it. */
  twins: z.boolean().default(true),
});

/** The tests that must pass, in order, and those of them that no twin is made of. */
export interface NativeRequired {
  readonly ids: readonly string[];
  readonly withoutTwins: readonly string[];
}

/** What a native task requires: the list in its settings, else tests/required.json. `task-invalid` when there is neither. */
export function readNativeRequired({ definition, files }: Task): NativeRequired {
  const listed = definition.proctor.native?.required;
  if (listed !== undefined) return { ids: listed, withoutTwins: [] };
  const tests = readRequiredFile(files, nativeTestSchema);
  if (tests === null) throw new ProctorError('task-invalid', `a native task needs required tests: ${REQUIRED_FILE}`);
  const ids = Object.keys(tests);
  if (ids.length === 0) throw new ProctorError('task-invalid', `${REQUIRED_FILE}: names no test`);
  return { ids, withoutTwins: ids.filter((id) => tests[id]?.twins === false) };
}
