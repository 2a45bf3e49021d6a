import { digestOfJson } from '../../platform/base/digest.ts';
import { messageOf } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ArtifactRow } from '../artifact/artifact.ts';
import { compileRules } from '../artifact/artifact-rules.ts';
import type { Instance } from '../instance/instance.ts';
import type { ArtifactRules } from '../task/task.ts';
import type { Detector, Screened, ScreenInput } from './detector.ts';
import { alwaysEqual } from './detectors/always-equal.ts';
import { artifactRefused } from './detectors/artifact-refused.ts';
import { earlyExit } from './detectors/early-exit.ts';
import { editedVisibleTest } from './detectors/edited-visible-test.ts';
import { forgedReport } from './detectors/forged-report.ts';
import { hardCodedCase } from './detectors/hard-coded-case.ts';
import { hiddenText } from './detectors/hidden-text.ts';
import { judgeText } from './detectors/judge-text.ts';
import { outsideWrite } from './detectors/outside-write.ts';
import { runnerTampering } from './detectors/runner-tampering.ts';
import { stackIntrospection } from './detectors/stack-introspection.ts';
import { steeringFile } from './detectors/steering-file.ts';
import { unreadCode } from './detectors/unread-code.ts';
import { unsafeEntry } from './detectors/unsafe-entry.ts';
import { screenInput } from './screen-input.ts';
import type { Screening, Signal } from './signal.ts';

/** All detectors; a new one is one file and a line here. */
export const DETECTORS: readonly Detector[] = [
  ...[steeringFile, unsafeEntry, forgedReport, hiddenText, artifactRefused],
  ...[editedVisibleTest, hardCodedCase, stackIntrospection, earlyExit, runnerTampering],
  ...[outsideWrite, alwaysEqual, judgeText, unreadCode],
];

/** What an artifact is compared with: what its subject was given, and which of it crosses when it is handed in. */
export interface GivenWorkspace extends Pick<Instance, 'files' | 'instruction'> {
  readonly rules: ArtifactRules;
}

/** Screens one artifact with every detector; one that fails is recorded as not run. */
export async function screenArtifact(artifact: ArtifactRow, given: GivenWorkspace, blobs: Blobs): Promise<Screening> {
  const { manifest } = artifact;
  const files = await Promise.all(
    manifest.files.map(async ({ path, blob }) => ({ path, bytes: await blobs.get(blob) })),
  );
  const ruling = compileRules(given.rules);
  const before = given.files.map(({ path, bytes }) => ({ path, bytes, crosses: ruling(path) === 'crosses' }));
  return screen(DETECTORS, { artifactId: artifact.id, manifest, files, given: before, instruction: given.instruction });
}

/** The pure part: runs detectors over what was read. */
export function screen(
  detectors: readonly Detector[],
  { artifactId, ...screened }: Screened & { readonly artifactId: string },
): Screening {
  const input = screenInput(screened);
  const ran = detectors.map((detector) => runDetector(detector, input));
  const content = {
    detectors: ran.map(({ name, error }) => ({ name, ran: error === '', error })),
    signals: ran.flatMap(({ signals }) => signals),
  };
  return { artifactId, ...content, digest: digestOfJson(content) };
}

function runDetector(detector: Detector, input: ScreenInput): { name: string; error: string; signals: Signal[] } {
  const { name } = detector;
  try {
    return { name, error: '', signals: detector.detect(input).map((found) => ({ kind: name, ...found })) };
  } catch (thrown) {
    return { name, error: messageOf(thrown).slice(0, 500) || 'failed', signals: [] };
  }
}
