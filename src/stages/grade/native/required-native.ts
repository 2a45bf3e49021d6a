import { z } from 'zod';
import { messageOf, ProctorError } from '../../../platform/base/errors.ts';
import { parseHostileJson } from '../../../platform/base/safe-json.ts';
import type { Task } from '../../task/task.ts';
import { REQUIRED_FILE } from '../required-tests.ts';

const BOUNDS = { maxBytes: 8 * 1024 * 1024, maxDepth: 8, maxNodes: 500_000 };

const requiredSchema = z.strictObject({
  version: z.literal(1),
  tests: z.record(
    z.string().min(1),
    z.strictObject({
      /** The split's; says nothing here. */
      words: z.unknown().optional(),
      /** False for a test whose twins were seen to pass with the reference: none is made of it. */
      twins: z.boolean().default(true),
    }),
  ),
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
  const file = files.find(({ path }) => path === REQUIRED_FILE);
  if (file === undefined)
    throw new ProctorError('task-invalid', `a native task needs required tests: ${REQUIRED_FILE}`);
  try {
    const { tests } = requiredSchema.parse(parseHostileJson(file.bytes.toString('utf8'), BOUNDS));
    const ids = Object.keys(tests);
    if (ids.length === 0) throw new Error('names no test');
    return { ids, withoutTwins: ids.filter((id) => tests[id]?.twins === false) };
  } catch (thrown) {
    const why = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
    throw new ProctorError('task-invalid', `${REQUIRED_FILE}: ${why}`);
  }
}
