import { digestOfJson } from '../../platform/base/digest.ts';
import { messageOf } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ArtifactRow, Manifest } from '../artifact/artifact.ts';
import type { Detector, ScreenedFile } from './detector.ts';
import { artifactRefused } from './detectors/artifact-refused.ts';
import { forgedReport } from './detectors/forged-report.ts';
import { hiddenText } from './detectors/hidden-text.ts';
import { steeringFile } from './detectors/steering-file.ts';
import { unsafeEntry } from './detectors/unsafe-entry.ts';
import type { Screening, Signal } from './signal.ts';

/** All detectors; a new one is one file and a line here. */
const DETECTORS: readonly Detector[] = [steeringFile, unsafeEntry, forgedReport, hiddenText, artifactRefused];

/** Screens one artifact with every detector; one that fails is recorded as not run. */
export async function screenArtifact(artifact: ArtifactRow, blobs: Blobs): Promise<Screening> {
  const { manifest } = artifact;
  const files = await Promise.all(
    manifest.files.map(async ({ path, blob }) => ({ path, bytes: await blobs.get(blob) })),
  );
  return screen(DETECTORS, { artifactId: artifact.id, manifest, files });
}

interface Screened {
  readonly artifactId: string;
  readonly manifest: Manifest;
  readonly files: readonly ScreenedFile[];
}

/** The pure part: runs detectors over what was read. */
export function screen(detectors: readonly Detector[], { artifactId, ...input }: Screened): Screening {
  const ran = detectors.map((detector) => runDetector(detector, input));
  const content = {
    detectors: ran.map(({ name, error }) => ({ name, ran: error === '', error })),
    signals: ran.flatMap(({ signals }) => signals),
  };
  return { artifactId, ...content, digest: digestOfJson(content) };
}

function runDetector(
  detector: Detector,
  input: Omit<Screened, 'artifactId'>,
): { name: string; error: string; signals: Signal[] } {
  const { name } = detector;
  try {
    return { name, error: '', signals: detector.detect(input).map((found) => ({ kind: name, ...found })) };
  } catch (thrown) {
    return { name, error: messageOf(thrown).slice(0, 500) || 'failed', signals: [] };
  }
}
