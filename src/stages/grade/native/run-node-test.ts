import { z } from 'zod';
import type { Task, TaskFile } from '../../task/task.ts';
import { type FileNaming, layFiles } from './file-layout.ts';
import { runFramed } from './framed-run.ts';
import type { NativeRunner } from './native-runner.ts';

const NODE = '/usr/bin/node';
const SCRIPT = /(?:\.(?:test|spec))\.[cm]?js$/;

const NAMING: FileNaming = {
  separator: ' > ',
  isTest: (path) => SCRIPT.test(path),
  rename: (name, words) => `${words.join('-')}${SCRIPT.exec(name)?.[0] ?? '.test.mjs'}`,
};

/** node:test, one process for each file, watched by a process that never loads the candidate's code. */
export const NODE_TEST: NativeRunner = {
  probes: () => [[NODE, '--version']],
  lay: async ({ hidden }) => layFiles(hidden, NAMING),
  steadying: (task) => [ownPackage(task)],
  test: (native) => {
    const { folder, testFiles } = native.layout;
    const timeoutMs = native.run.task.definition.verifier.timeout_sec * 1000;
    return runFramed(native, {
      argv: [NODE, '/proctor/native/run_node.mjs'],
      settings: { tests: `/work/${folder}`, files: testFiles, timeoutMs },
    });
  },
};

/** Says for the hidden tests what the task's own package.json says: the artifact's must not change how they are read. */
export function ownPackage({ files }: Task): TaskFile {
  const given = files.find(({ path }) => path === 'environment/package.json');
  const parsed = z.object({ type: z.enum(['module', 'commonjs']) }).safeParse(readJson(given));
  const text = JSON.stringify({ type: parsed.success ? parsed.data.type : 'module', private: true });
  return { path: 'package.json', mode: 0o444, bytes: Buffer.from(`${text}\n`) };
}

function readJson(file: TaskFile | undefined): unknown {
  try {
    return file === undefined ? null : JSON.parse(file.bytes.toString('utf8'));
  } catch {
    return null;
  }
}
