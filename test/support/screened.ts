import { digestOf } from '../../src/platform/base/digest.ts';
import type { Manifest } from '../../src/stages/artifact/artifact.ts';
import type { SessionEvent } from '../../src/stages/session/event.ts';
import type { Detector, ScreenInput } from '../../src/stages/signal/detector.ts';
import { screenInput } from '../../src/stages/signal/screen-input.ts';

type Files = Readonly<Record<string, string | Buffer>>;

export interface ScreenedCase {
  readonly given?: Files;
  readonly instruction?: string;
  readonly manifest?: Partial<Manifest>;
  readonly decoys?: ScreenInput['decoys'];
  readonly secrets?: ScreenInput['secrets'];
  /** Events of its session. */
  readonly events?: readonly Partial<SessionEvent>[];
}

/** What detectors look at, for a hand-in of these files. All that was given crosses. */
export function screened(
  files: Files,
  { given = {}, instruction = '', manifest = {}, decoys = [], secrets = [], events }: ScreenedCase = {},
): ScreenInput {
  const listed = (all: Files) =>
    Object.entries(all).map(([path, text]) => ({ path, bytes: Buffer.from(text as string) }));
  return screenInput({
    manifest: { format: 'proctor/artifact/1', files: [], leftBehind: [], counts: {}, refusal: null, ...manifest },
    files: listed(files),
    given: listed(given).map((file) => ({ ...file, crosses: true })),
    ...{ instruction, decoys, secrets },
    session: events === undefined ? null : { sessionId: 'sess_1', events: events.map(toEvent), cut: false },
  });
}

function toEvent(event: Partial<SessionEvent>, index: number): SessionEvent {
  const place = { seq: index + 1, at: new Date(0), step: 1, messageId: null, digest: digestOf('event') };
  return { ...place, type: 'file.read', outcome: 'ok', detail: {}, ...event };
}

/** What a detector says of some files, as `severity path detail` for each place. */
export function said(detector: Detector, files: Files, more: ScreenedCase = {}): readonly string[] {
  return detector
    .detect(screened(files, more))
    .flatMap(({ severity, evidence }) => evidence.map(({ path, detail }) => `${severity} ${path} ${detail}`));
}
