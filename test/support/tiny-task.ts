import { writeTree } from './write-tree.ts';

/** Settings of the task below, for others that differ in little. */
export const TINY_TOML = `schema_version = "1.0"
[task]
name = "test/double"
[environment]
memory_mb = 128
storage_mb = 16
[proctor]
grader = "function"
case_timeout_sec = 1.0
[proctor.artifact]
include = ["double.py"]
[proctor.function]
module = "double"
function = "double"
`;

/** A function task without parameters: `double(x)` is twice x. Quick, and easy to break on purpose. */
const FILES = {
  'task.toml': TINY_TOML,
  'instruction.md': 'Write double(x) in double.py.\n',
  'environment/double.py': 'def double(x):\n    raise NotImplementedError\n',
  'tests/oracle.py': `def cases(parameters, random):
    for _ in range(5):
        yield {"args": [random.randrange(1, 10**6)]}


def expected(parameters, case):
    return 2 * case["args"][0]
`,
  'solution/double.py': 'def double(x):\n    return 2 * x\n',
} as const;

export const RIGHT = 'def double(x):\n    return x + x\n';
export const WRONG = 'def double(x):\n    return x\n';

/** Writes the task into `folder`, with some files replaced (null leaves one out), and gives its path. */
export async function writeTinyTask(
  folder: string,
  replaced: Readonly<Record<string, string | null>> = {},
): Promise<string> {
  await writeTree(folder, { ...FILES, ...replaced });
  return folder;
}
