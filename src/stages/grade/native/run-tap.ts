import { describeEnding } from '../candidate.ts';
import { commandIn, FREE_NAMING, probeOf } from './command-run.ts';
import { layFlat } from './flat-layout.ts';
import type { NativeRunner } from './native-runner.ts';
import { parseTap } from './parse-tap.ts';

/** A program of the author's that writes TAP to standard output. Its witness is the plan. */
export const TAP: NativeRunner = {
  probes: probeOf,
  lay: async ({ hidden, required }) => layFlat(hidden, FREE_NAMING, required.ids),
  async test(native) {
    const { ending, stdout } = await commandIn(native);
    const { observed, fault } = parseTap(stdout.toString('utf8'));
    const ended = ending.kind === 'exited';
    const why = ended ? (fault ?? '') : `it ${describeEnding(ending)}`;
    return { observed, complete: why === '', why, ending, broken: false, exitRule: 'failing' };
  },
};
