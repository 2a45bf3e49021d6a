import { ProctorError } from '../../../platform/base/errors.ts';
import { describeEnding, tryWrite } from '../candidate.ts';
import { commandIn, FREE_NAMING, probeOf } from './command-run.ts';
import { layFlat } from './flat-layout.ts';
import type { NativeReport, Observed } from './native-report.ts';
import type { NativeRun, NativeRunner } from './native-runner.ts';
import { parseJunit } from './parse-junit.ts';

/** A program of the author's that writes a JUnit report. One that lay there before is removed. */
export const JUNIT: NativeRunner = {
  probes: probeOf,
  lay: async ({ hidden, required }) => layFlat(hidden, FREE_NAMING, required.ids),
  async test(native) {
    const { run, settings } = native;
    const path = settings.report ?? 'report.xml';
    const refused = await tryWrite(() => run.candidate.removeFile(path));
    const { ending } = await commandIn(native);
    const report = { ending, exitRule: 'both' } as const;
    const cut = (why: string): NativeReport => ({ ...report, observed: [], complete: false, why, broken: false });
    if (refused !== null) return cut(refused);
    if (ending.kind !== 'exited') return cut(`it ${describeEnding(ending)}`);
    const observed = await readReport(native, path);
    if (typeof observed === 'string') return cut(observed);
    return { ...report, observed, complete: true, why: '', broken: false };
  },
};

async function readReport({ run }: NativeRun, path: string): Promise<readonly Observed[] | string> {
  const maxBytes = run.task.definition.proctor.max_output_bytes;
  const read = await run.candidate.readFile(path, { maxBytes });
  if (read.kind !== 'file') return 'it wrote no report';
  try {
    return parseJunit(read.bytes.toString('utf8'));
  } catch (thrown) {
    if (thrown instanceof ProctorError && thrown.code === 'bad-request') return thrown.message;
    throw thrown;
  }
}
