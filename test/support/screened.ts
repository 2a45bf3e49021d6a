import type { Manifest } from '../../src/stages/artifact/artifact.ts';
import type { Detector, ScreenInput } from '../../src/stages/signal/detector.ts';
import { screenInput } from '../../src/stages/signal/screen-input.ts';

type Files = Readonly<Record<string, string | Buffer>>;

export interface ScreenedCase {
  readonly given?: Files;
  readonly instruction?: string;
  readonly manifest?: Partial<Manifest>;
}

/** What detectors look at, for a hand-in of these files. All that was given crosses. */
export function screened(
  files: Files,
  { given = {}, instruction = '', manifest = {} }: ScreenedCase = {},
): ScreenInput {
  const listed = (all: Files) =>
    Object.entries(all).map(([path, text]) => ({ path, bytes: Buffer.from(text as string) }));
  return screenInput({
    manifest: { format: 'proctor/artifact/1', files: [], leftBehind: [], counts: {}, refusal: null, ...manifest },
    files: listed(files),
    given: listed(given).map((file) => ({ ...file, crosses: true })),
    instruction,
  });
}

/** What a detector says of some files, as `severity path detail` for each place. */
export function said(detector: Detector, files: Files, more: ScreenedCase = {}): readonly string[] {
  return detector
    .detect(screened(files, more))
    .flatMap(({ severity, evidence }) => evidence.map(({ path, detail }) => `${severity} ${path} ${detail}`));
}
