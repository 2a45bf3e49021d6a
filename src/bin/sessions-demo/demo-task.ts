import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A host that the task allows; nobody has it (RFC 2606), so that nothing outside is ever asked. */
export const ALLOWED_HOST = 'packages.example';

const FILES: Readonly<Record<string, string>> = {
  'task.toml': `schema_version = "1.0"

[task]
name = "proctor/sessions-demo"
description = "A function to write, with a visible check beside it."

[agent]
timeout_sec = 60.0

[environment]
memory_mb = 256
storage_mb = 32

[proctor]
grader = "function"
case_timeout_sec = 2.0

[proctor.artifact]
include = ["median.py"]

[proctor.function]
module = "median"
function = "median"

[proctor.egress]
allow = ["${ALLOWED_HOST}"]
`,
  'instruction.md':
    'Write median(numbers) in median.py: the middle one of an odd count of numbers. Try it with python3 check.py.\n',
  'environment/median.py': 'def median(numbers):\n    raise NotImplementedError\n',
  'environment/check.py': `from median import median

assert median([3, 1, 2]) == 2, "median([3, 1, 2]) is 2"
print("the visible check passes")
`,
  'tests/oracle.py': `def cases(parameters, random):
    for _ in range(20):
        yield {"args": [[random.randrange(1000) for _ in range(random.choice([1, 3, 5, 7]))]]}


def expected(parameters, case):
    numbers = sorted(case["args"][0])
    return numbers[len(numbers) // 2]
`,
  'solution/median.py': 'def median(numbers):\n    return sorted(numbers)[len(numbers) // 2]\n',
};

/** Writes the task that the demonstration's agents work on, and gives its folder. */
export async function writeDemoTask(folder: string): Promise<string> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
