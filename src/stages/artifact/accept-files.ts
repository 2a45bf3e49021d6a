import { safeSegments } from '../../platform/base/beneath.ts';
import { ProctorError } from '../../platform/base/errors.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { ArtifactRules } from '../task/task.ts';
import type { Manifest } from './artifact.ts';
import { compileRules } from './artifact-rules.ts';
import { buildManifest, Refused } from './manifest-builder.ts';

/** One file as a harness sent it. The path came out of a sandbox and is as hostile as the content. */
export interface SentFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** The manifest of files that were sent rather than collected, under the same rules. */
export async function acceptFiles(files: readonly SentFile[], rules: ArtifactRules, blobs: Blobs): Promise<Manifest> {
  const ruling = compileRules(rules);
  const manifest = buildManifest(rules);
  const seen = new Set<string>();
  try {
    for (const file of files) {
      const fault = faultOfPath(file.path);
      if (fault !== null) {
        manifest.leave(file.path, fault);
        continue;
      }
      if (seen.has(file.path))
        throw new ProctorError('bad-request', `the path ${JSON.stringify(file.path)} was sent twice`);
      seen.add(file.path);
      const decided = ruling(file.path);
      if (decided !== 'crosses') {
        manifest.leave(file.path, decided);
        continue;
      }
      if (file.path.split('/').length > rules.max_depth + 1) {
        throw new Refused('too-deep', `folders are nested deeper than ${rules.max_depth}`);
      }
      manifest.admit(file.path, file.bytes.length);
      const blob = await blobs.put(file.bytes);
      manifest.add({ path: file.path, mode: file.executable ? 0o755 : 0o644, size: file.bytes.length, blob });
    }
    refuseFilesAsFolders(seen);
    return manifest.finish(null);
  } catch (thrown) {
    if (thrown instanceof Refused) return manifest.finish(thrown);
    throw thrown;
  }
}

/** Longest name of a file system that we know, in bytes (NAME_MAX). */
const MAX_NAME_BYTES = 255;

function faultOfPath(path: string): 'path-escapes' | 'odd-name' | null {
  let segments: readonly string[];
  try {
    segments = safeSegments(path);
  } catch {
    return 'path-escapes';
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (/[\u0000-\u001f\u007f]/.test(path) || !path.isWellFormed() || path.length > 4_096) return 'odd-name';
  return segments.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES) ? 'odd-name' : null;
}

function refuseFilesAsFolders(paths: ReadonlySet<string>): void {
  for (const path of paths) {
    const segments = path.split('/');
    for (let depth = 1; depth < segments.length; depth++) {
      const parent = segments.slice(0, depth).join('/');
      if (!paths.has(parent)) continue;
      throw new ProctorError('bad-request', `${JSON.stringify(parent)} was sent both as a file and as a folder`);
    }
  }
}
