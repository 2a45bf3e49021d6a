import { nodeRunner } from './node-runner.ts';

/** node:test. */
export const NODE_TEST = nodeRunner({
  probe: ['--version'],
  ending: /(?:\.(?:test|spec))\.[cm]?js$/,
  script: 'run_node.mjs',
});
