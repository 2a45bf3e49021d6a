import { digestOfJson } from '../../platform/base/digest.ts';
import { messageOf } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ArtifactRow, Manifest } from '../artifact/artifact.ts';
import type { Detector, ScreenedText } from './detector.ts';
import { artifactRefused } from './detectors/artifact-refused.ts';
import { forgedReport } from './detectors/forged-report.ts';
import { hiddenText } from './detectors/hidden-text.ts';
import { steeringFile } from './detectors/steering-file.ts';
import { unsafeEntry } from './detectors/unsafe-entry.ts';
import type { Screening, Signal } from './signal.ts';

/** All detectors; a new one is one file and a line here. */
const DETECTORS: readonly Detector[] = [steeringFile, unsafeEntry, forgedReport, hiddenText, artifactRefused];

/** The largest file that a task may let cross by default; larger ones are data. */
const MAX_TEXT_BYTES = 16_777_216;

/** Screens one artifact with every detector; one that fails is recorded as not run. */
export async function screenArtifact(artifact: ArtifactRow, blobs: Blobs): Promise<Screening> {
  const texts = await readTexts(artifact.manifest, blobs);
  return screen(DETECTORS, { artifactId: artifact.id, manifest: artifact.manifest, texts });
}

interface Screened {
  readonly artifactId: string;
  readonly manifest: Manifest;
  readonly texts: readonly ScreenedText[];
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

/** Files that are text: valid UTF-8 without NUL, which no interpreter of source code takes. */
async function readTexts(manifest: Manifest, blobs: Blobs): Promise<readonly ScreenedText[]> {
  const texts: ScreenedText[] = [];
  for (const file of manifest.files.filter(({ size }) => size <= MAX_TEXT_BYTES)) {
    const bytes = await blobs.get(file.blob);
    const text = bytes.includes(0) ? null : decode(bytes);
    if (text !== null) texts.push({ path: file.path, text });
  }
  return texts;
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
