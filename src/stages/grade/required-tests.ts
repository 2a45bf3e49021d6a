import { z } from 'zod';
import { messageOf, ProctorError } from '../../platform/base/errors.ts';
import { parseHostileJson } from '../../platform/base/safe-json.ts';
import type { TaskFile } from '../task/task.ts';

/** Where a pytest task says which tests there are; made by `proctor audit --write`. */
export const REQUIRED_FILE = 'tests/required.json';
const BOUNDS = { maxBytes: 8 * 1024 * 1024, maxDepth: 8, maxNodes: 500_000 };

const splitTestSchema = z.strictObject({
  /** How often the reference's word was taken in this test, by operation and type of operand; none when absent. */
  words: z.record(z.string(), z.int().min(1)).default({}),
  /** Names of attributes and methods that the test asked objects of the reference for; of others it got plain values. */
  uses: z.array(z.string()).default([]),
});

/** The tests that a hand-in must pass, each exactly once, in order. */
export type RequiredTests = Readonly<Record<string, z.infer<typeof splitTestSchema>>>;

/** Reads a task's list of required tests; null when it has none. `task-invalid` when it cannot be read. */
export function readRequired(files: readonly TaskFile[]): RequiredTests | null {
  const known = read.get(files);
  if (known !== undefined) return known;
  const required = readRequiredFile(files, splitTestSchema);
  read.set(files, required);
  return required;
}

/** A stored task's files stay one array for as long as it is kept in memory. */
const read = new WeakMap<readonly TaskFile[], RequiredTests | null>();

/** The same with what another grader keeps of each test. */
export function readRequiredFile<T>(files: readonly TaskFile[], test: z.ZodType<T>): Record<string, T> | null {
  const file = files.find(({ path }) => path === REQUIRED_FILE);
  if (file === undefined) return null;
  const schema = z.strictObject({ version: z.literal(1), tests: z.record(z.string().min(1), test) });
  try {
    return schema.parse(parseHostileJson(file.bytes.toString('utf8'), BOUNDS)).tests;
  } catch (thrown) {
    const why = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
    throw new ProctorError('task-invalid', `${REQUIRED_FILE}: ${why}`);
  }
}

/** The text of such a file. */
export function writeRequired(tests: RequiredTests): string {
  const lines = Object.entries(tests).map(([id, { words, uses }]) => {
    const told = { ...(Object.keys(words).length === 0 ? {} : { words }), ...(uses.length === 0 ? {} : { uses }) };
    return `  ${JSON.stringify(id)}: ${JSON.stringify(told)}`;
  });
  return `{\n "version": 1,\n "tests": {\n${lines.join(',\n')}\n }\n}\n`;
}
