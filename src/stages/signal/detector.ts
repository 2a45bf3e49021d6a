import type { LeftBehind, LeftBehindReason, Manifest } from '../artifact/artifact.ts';
import type { Signal } from './signal.ts';

/** A file that crossed. */
export interface ScreenedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** What detectors look at. */
export interface ScreenInput {
  readonly manifest: Manifest;
  readonly files: readonly ScreenedFile[];
}

/** Looks for one kind of evidence. Pure; says nothing rather than guess. */
export interface Detector {
  readonly name: string;
  detect(input: ScreenInput): readonly Omit<Signal, 'kind'>[];
}

/** The entries of a manifest that were left behind for one of these reasons, as evidence. */
export function leftFor(manifest: Manifest, reasons: readonly LeftBehindReason[]): Signal['evidence'] {
  return manifest.leftBehind
    .filter((entry) => reasons.includes(entry.reason))
    .map(({ path, reason, detail }: LeftBehind) => ({
      path,
      detail: detail === '""' ? reason : `${reason} ${detail}`,
    }));
}
