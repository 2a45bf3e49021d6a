import { nodeRunner } from './node-runner.ts';

/** Where a snapshot has Vitest: as `npm install --global` leaves it. The snapshot `host` does not show this folder. */
const VITEST = '/usr/lib/node_modules/vitest/dist/node.js';

/** Vitest without any configuration file. */
export const VITEST_RUNNER = nodeRunner({
  probe: ['--input-type=module', '-e', `await import('${VITEST}')`],
  ending: /\.(?:test|spec)\.[cm]?[jt]sx?$/,
  script: 'run_vitest.mjs',
  settings: { vitest: VITEST, root: '/work' },
});
