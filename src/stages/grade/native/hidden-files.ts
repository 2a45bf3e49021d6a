import { z } from 'zod';
import { messageOf, ProctorError } from '../../../platform/base/errors.ts';
import { parseHostileJson } from '../../../platform/base/safe-json.ts';
import type { InstanceRow } from '../../instance/instance.ts';
import type { Task, TaskFile } from '../../task/task.ts';
import { REQUIRED_FILE } from '../required-tests.ts';
import { testFilesOf } from '../test-files.ts';

const TESTS = 'tests/';
const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 6, maxNodes: 50_000 };

const twinListSchema = z.strictObject({
  version: z.literal(1),
  twins: z.array(
    z.strictObject({
      /** A file of the twins folder. */
      file: z.string().min(1),
      /** Id of the test in it that must fail; without the file's name where ids begin with one. */
      id: z.string().min(1),
      /** Id of the required test that it is a twin of. */
      of: z.string().min(1),
    }),
  ),
});

/** A must-fail test that the task's author wrote. */
export type DeclaredTwin = z.infer<typeof twinListSchema>['twins'][number];

/** The hidden tests of an instance; paths are relative to tests/, and to the twins folder for twins. */
export interface HiddenFiles {
  readonly tests: readonly TaskFile[];
  readonly twinFiles: readonly TaskFile[];
  readonly declared: readonly DeclaredTwin[];
}

/** The hidden tests with templates filled. `task-invalid` for a list of twins that does not fit. */
export function hiddenFilesOf(task: Task, instance: InstanceRow, required: readonly string[]): HiddenFiles {
  const folder = task.definition.proctor.native?.twins;
  const prefix = folder === undefined ? null : `${folder}/`;
  const inTwins = (path: string) => prefix !== null && path.startsWith(prefix);
  const filled = testFilesOf(task, instance);
  const tests = filled.filter(({ path }) => !inTwins(path) && path !== REQUIRED_FILE);
  const twins = filled.filter(({ path }) => inTwins(path));
  const list = twins.find(({ path }) => path === `${prefix}twins.json`);
  const twinFiles = twins.filter((file) => file !== list).map((file) => moved(file, prefix ?? ''));
  return {
    tests: tests.map((file) => moved(file, TESTS)),
    twinFiles,
    declared: prefix === null ? [] : readTwinList(list, { required, names: twinFiles.map(({ path }) => path) }),
  };
}

function moved(file: TaskFile, prefix: string): TaskFile {
  return { ...file, path: file.path.slice(prefix.length) };
}

function readTwinList(
  file: TaskFile | undefined,
  known: { required: readonly string[]; names: readonly string[] },
): readonly DeclaredTwin[] {
  const refuse = (why: string): never => {
    throw new ProctorError('task-invalid', `twins.json: ${why}`);
  };
  if (file === undefined) return refuse('is missing from the twins folder');
  const { twins } = parseTwinList(file);
  for (const { file: name, of } of twins) {
    if (!known.names.includes(name)) refuse(`there is no file ${JSON.stringify(name)}`);
    if (!known.required.includes(of)) refuse(`${JSON.stringify(of)} is not a required test`);
  }
  return twins;
}

function parseTwinList(file: TaskFile): z.infer<typeof twinListSchema> {
  try {
    return twinListSchema.parse(parseHostileJson(file.bytes.toString('utf8'), BOUNDS));
  } catch (thrown) {
    const why = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
    throw new ProctorError('task-invalid', `twins.json: ${why}`);
  }
}
