import { type FileNaming, layFiles } from './file-layout.ts';
import { runFramed } from './framed-run.ts';
import type { NativeRunner } from './native-runner.ts';
import { ownPackage } from './run-node-test.ts';

const NODE = '/usr/bin/node';
/** Where a snapshot has Vitest: as `npm install --global` leaves it. The snapshot `host` does not show this folder. */
const VITEST = '/usr/lib/node_modules/vitest/dist/node.js';
const TEST = /\.(?:test|spec)\.[cm]?[jt]sx?$/;

const NAMING: FileNaming = {
  separator: ' > ',
  isTest: (path) => TEST.test(path),
  rename: (name, words) => `${words.join('-')}${TEST.exec(name)?.[0] ?? '.test.mjs'}`,
};

/** Vitest without any configuration file, one process for each file. */
export const VITEST_RUNNER: NativeRunner = {
  probes: () => [[NODE, '--input-type=module', '-e', `await import('${VITEST}')`]],
  lay: async ({ hidden }) => layFiles(hidden, NAMING),
  steadying: (task) => [ownPackage(task)],
  test: (native) => {
    const { folder, testFiles } = native.layout;
    const timeoutMs = native.run.task.definition.verifier.timeout_sec * 1000;
    return runFramed(native, {
      argv: [NODE, '/proctor/native/run_vitest.mjs'],
      settings: { vitest: VITEST, root: '/work', tests: `/work/${folder}`, files: testFiles, timeoutMs },
    });
  },
};
