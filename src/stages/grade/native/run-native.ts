import { ProctorError } from '../../../platform/base/errors.ts';
import type { NativeSettings } from '../../task/native.ts';
import { describeEnding, statusOf, tryWrite } from '../candidate.ts';
import { inCandidatePhase } from '../candidate-phase.ts';
import type { Witness } from '../grade.ts';
import type { HiddenResult, HiddenRun, RunHidden } from '../hidden-run.ts';
import { hiddenFilesOf } from './hidden-files.ts';
import type { Layout } from './layout.ts';
import type { NativeRunner, Refused } from './native-runner.ts';
import { readNativeRequired } from './required-native.ts';
import { RUNNERS } from './runners.ts';
import { assuranceOf, weigh } from './weigh.ts';

const PROBE_MS = 20_000;

/** Hidden tests of any language beside the candidate's code, so that forging is detectable, not impossible. */
export const runNativeSuite: RunHidden = async (run) => {
  const settings = run.task.definition.proctor.native;
  if (settings === undefined) throw new ProctorError('task-invalid', 'a native task needs [proctor.native]');
  const runner: NativeRunner = RUNNERS[settings.runner];
  const required = readNativeRequired(run.task);
  await probe(run, runner.probes(settings));
  const hidden = hiddenFilesOf(run.task, run.instance, required.ids);
  const layout = await runner.lay({ run, settings, hidden, required });
  run.endPhase('lay');
  return inCandidatePhase(async () => {
    const refused =
      (await build(run, settings)) ?? (await runner.prepare?.(run)) ?? (await placeTests(run, runner, layout));
    if (refused !== null) return noRun(required.ids, layout, refused);
    run.endPhase('build');
    const deadlineMs = performance.now() + run.task.definition.verifier.timeout_sec * 1000;
    const report = await runner.test({ run, settings, layout, deadlineMs });
    return weigh({ required: required.ids, layout, report });
  });
};

/** A runner that the snapshot lacks is the task's fault, told before the candidate's code runs. */
async function probe({ examinerBox }: HiddenRun, probes: ReturnType<NativeRunner['probes']>): Promise<void> {
  for (const argv of probes) {
    const { ending, stderr } = await examinerBox.exec({ argv, wallMs: PROBE_MS });
    if (ending.kind === 'exited' && ending.code === 0) continue;
    const said = stderr.toString('utf8').trim().slice(0, 300);
    throw new ProctorError(
      'runner-missing',
      `\`${argv.join(' ')}\` ${describeEnding(ending)} in the snapshot: ${said}`,
    );
  }
}

async function build(run: HiddenRun, settings: NativeSettings): Promise<Refused | null> {
  if (settings.build === undefined) return null;
  const { ending, stderr } = await run.candidate.exec({
    argv: settings.build,
    wallMs: settings.build_timeout_sec * 1000,
  });
  run.keepStderr(stderr);
  if (ending.kind === 'exited' && ending.code === 0) return null;
  const said = stderr.toString('utf8').trim().slice(-300);
  return { status: statusOf(ending), note: `the build ${describeEnding(ending)}: ${said}` };
}

/** No process of the build lives any more, so the files stay as they are until the runner reads them. */
async function placeTests(run: HiddenRun, runner: NativeRunner, layout: Layout): Promise<Refused | null> {
  const steadying = runner.steadying?.(run.task, run.instance) ?? [];
  const own = steadying.filter(({ path }) => !layout.files.some((file) => file.path === path));
  for (const file of [...own, ...layout.files]) {
    const path = `${layout.folder}/${file.path}`;
    const refused = await tryWrite(() => run.candidate.writeFile(path, file.bytes, 0o444 | (file.mode & 0o111)));
    if (refused !== null) return { status: 'crashed', note: refused };
  }
  return null;
}

function noRun(required: readonly string[], layout: Layout, { status, note }: Refused): HiddenResult {
  const witness: Witness = { twins: 0, testsWithTwins: 0, of: required.length, green: [], signs: [] };
  const results = required.map((id) => ({ id, status, note, wallMs: 0 }));
  return { required, results, assurance: assuranceOf(layout), witness };
}
