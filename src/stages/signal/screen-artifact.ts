import { digestOfJson } from '../../platform/base/digest.ts';
import { messageOf } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ArtifactRow } from '../artifact/artifact.ts';
import { compileRules } from '../artifact/artifact-rules.ts';
import type { Instance } from '../instance/instance.ts';
import type { TaskDefinition } from '../task/task.ts';
import type { Detector, ScreenInput } from './detector.ts';
import { alwaysEqual } from './detectors/always-equal.ts';
import { artifactRefused } from './detectors/artifact-refused.ts';
import { brokenRule } from './detectors/broken-rule.ts';
import { decoyOpened } from './detectors/decoy-opened.ts';
import { decoyUsed } from './detectors/decoy-used.ts';
import { earlyExit } from './detectors/early-exit.ts';
import { editedVisibleTest } from './detectors/edited-visible-test.ts';
import { forgedReport } from './detectors/forged-report.ts';
import { hardCodedCase } from './detectors/hard-coded-case.ts';
import { hiddenText } from './detectors/hidden-text.ts';
import { judgeText } from './detectors/judge-text.ts';
import { leakedSecret } from './detectors/leaked-secret.ts';
import { memorizedSolution } from './detectors/memorized-solution.ts';
import { outsideWrite } from './detectors/outside-write.ts';
import { runnerTampering } from './detectors/runner-tampering.ts';
import { stackIntrospection } from './detectors/stack-introspection.ts';
import { steeringFile } from './detectors/steering-file.ts';
import { unreadCode } from './detectors/unread-code.ts';
import { unsafeEntry } from './detectors/unsafe-entry.ts';
import { secretsOf } from './hidden-secrets.ts';
import { screenInput } from './screen-input.ts';
import type { SessionTrace } from './session-trace.ts';
import type { Screening, Signal } from './signal.ts';

/** All detectors; a new one is one file and a line here. */
export const DETECTORS: readonly Detector[] = [
  ...[steeringFile, unsafeEntry, forgedReport, hiddenText, artifactRefused],
  ...[editedVisibleTest, hardCodedCase, stackIntrospection, earlyExit, runnerTampering],
  ...[outsideWrite, alwaysEqual, judgeText, unreadCode],
  ...[brokenRule, leakedSecret, decoyOpened, decoyUsed, memorizedSolution],
];

/** What an artifact is compared with: what its subject was given, which of it crosses when it is handed in, and what it did. */
export interface GivenWorkspace {
  readonly instance: Instance;
  readonly settings: Pick<TaskDefinition['proctor'], 'artifact' | 'parameters'>;
  readonly session: SessionTrace | null;
}

/** Reads an artifact for its detectors. */
export async function readForScreening(
  { manifest }: ArtifactRow,
  { instance, settings, session }: GivenWorkspace,
  blobs: Blobs,
): Promise<ScreenInput> {
  const files = await Promise.all(
    manifest.files.map(async ({ path, blob }) => ({ path, bytes: await blobs.get(blob) })),
  );
  const ruling = compileRules(settings.artifact);
  const given = instance.files.map(({ path, bytes }) => ({ path, bytes, crosses: ruling(path) === 'crosses' }));
  const { instruction, decoys } = instance;
  return screenInput({
    manifest,
    files,
    given,
    instruction,
    decoys,
    secrets: secretsOf(instance, settings.parameters),
    session,
  });
}

/** Runs detectors over what was read; one that fails is recorded as not run. */
export function screen(detectors: readonly Detector[], artifactId: string, input: ScreenInput): Screening {
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
