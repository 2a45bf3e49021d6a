import { quoted } from '../../platform/base/beneath.ts';
import type { Digest } from '../../platform/base/digest.ts';
import type { ArtifactRules } from '../task/task.ts';
import {
  type LeftBehind,
  type LeftBehindReason,
  MAX_LEFT_BEHIND,
  type Manifest,
  type ManifestFile,
  type RefusalReason,
} from './artifact.ts';

/** Thrown inside collection to stop at the first breach of a cap; never leaves the stage. */
export class Refused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Gathers a manifest and holds the caps of a task's rules. */
export interface ManifestBuilder {
  leave(path: string, reason: LeftBehindReason, detail?: string): void;
  /** Checks the caps for a file of this size before it is read; throws {@link Refused}. */
  admit(path: string, size: number): void;
  add(file: { path: string; mode: number; size: number; blob: Digest }): void;
  finish(refusal: Refused | null): Manifest;
}

export function buildManifest(rules: ArtifactRules): ManifestBuilder {
  const files: ManifestFile[] = [];
  const leftBehind: LeftBehind[] = [];
  const counts: Partial<Record<LeftBehindReason, number>> = {};
  let bytes = 0;
  let admitted = 0;
  return {
    leave(path, reason, detail = '') {
      const count = (counts[reason] ?? 0) + 1;
      counts[reason] = count;
      if (count <= MAX_LEFT_BEHIND) leftBehind.push({ path: quoted(path), reason, detail: quoted(detail) });
    },
    admit(path, size) {
      bytes += size;
      admitted += 1;
      if (size > rules.max_file_bytes) {
        throw new Refused('file-too-large', `${quoted(path)} has ${size} bytes; at most ${rules.max_file_bytes}`);
      }
      if (bytes > rules.max_bytes) throw new Refused('too-large', `more than ${rules.max_bytes} bytes in all`);
      if (admitted > rules.max_files) throw new Refused('too-many-files', `more than ${rules.max_files} files`);
    },
    add: (file) => void files.push({ ...file, mode: (file.mode & 0o100) === 0 ? 0o644 : 0o755 }),
    finish: (refusal) => ({
      format: 'proctor/artifact/1',
      files: refusal === null ? files.sort((a, b) => (a.path < b.path ? -1 : 1)) : [],
      leftBehind,
      counts,
      refusal: refusal === null ? null : { reason: refusal.reason, detail: refusal.message },
    }),
  };
}
