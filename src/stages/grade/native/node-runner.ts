import { z } from 'zod';
import type { Task, TaskFile } from '../../task/task.ts';
import { layFiles } from './file-layout.ts';
import { runFramed } from './framed-run.ts';
import type { NativeRunner } from './native-runner.ts';

const NODE = '/usr/bin/node';

/** What sets one of Node's test runners apart. */
export interface NodeRunner {
  /** Arguments of Node that tell whether the runner is there. */
  readonly probe: readonly string[];
  /** The ending of a test file's name. */
  readonly ending: RegExp;
  /** The program of graders/native that runs the files and tells their results, and what it is told beside them. */
  readonly script: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** A runner in a process that never loads the candidate's code, with one process for each test file. */
export function nodeRunner({ probe, ending, script, settings = {} }: NodeRunner): NativeRunner {
  const naming = {
    separator: ' > ',
    isTest: (path: string) => ending.test(path),
    rename: (name: string, words: readonly string[]) => `${words.join('-')}${ending.exec(name)?.[0] ?? '.test.mjs'}`,
  };
  return {
    probes: () => [[NODE, ...probe]],
    lay: async ({ hidden }) => layFiles(hidden, naming),
    steadying: (task) => [ownPackage(task)],
    test: (native) => {
      const { folder, testFiles } = native.layout;
      const timeoutMs = native.run.task.definition.verifier.timeout_sec * 1000;
      return runFramed(native, {
        argv: [NODE, `/proctor/native/${script}`],
        settings: { ...settings, tests: `/work/${folder}`, files: testFiles, timeoutMs },
      });
    },
  };
}

/** Says for the hidden tests what the task's own package.json says: the artifact's must not change how they are read. */
function ownPackage({ files }: Task): TaskFile {
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
