import { safeSegments } from '../../base/beneath.ts';
import type { NewFile } from './launcher.ts';

/** Files of more bytes than this together are written at once instead of going along with a command. */
const MOST_BYTES = 1024 ** 2;
const MOST_FILES = 200;
const PAGE_BYTES = 4096;
/** NAME_MAX and a path well below PATH_MAX (limits.h). */
const LONGEST_NAME = 255;
const LONGEST_PATH = 2_048;

/** Files of a sandbox that was not used yet, for its first command to bring along. */
export interface WaitingFiles {
  /** Keeps one, where it can be told beforehand that it will fit; else false, and it has to be written. */
  keep(file: NewFile): boolean;
  /** All of them; none are kept any more. */
  take(): readonly NewFile[];
}

/** For an empty folder of `diskBytes`. `enabled` false keeps nothing. */
export function openWaitingFiles({ diskBytes, enabled }: { diskBytes: number; enabled: boolean }): WaitingFiles {
  const kept = new Map<string, NewFile>();
  const folders = new Set<string>();
  let open = enabled;
  let bytes = 0;
  let pages = 0;
  return {
    keep(file) {
      if (!open) return false;
      const segments = safeSegments(file.path);
      const parents = segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'));
      const clashes = kept.has(file.path) || folders.has(file.path) || parents.some((parent) => kept.has(parent));
      const isLong =
        Buffer.byteLength(file.path) > LONGEST_PATH || segments.some((part) => Buffer.byteLength(part) > LONGEST_NAME);
      const filePages = Math.ceil(file.bytes.length / PAGE_BYTES) + 1 + parents.length;
      const fits =
        bytes + file.bytes.length <= MOST_BYTES &&
        kept.size < MOST_FILES &&
        (pages + filePages) * PAGE_BYTES <= diskBytes;
      if (clashes || isLong || !fits) return false;
      kept.set(file.path, file);
      for (const parent of parents) folders.add(parent);
      bytes += file.bytes.length;
      pages += filePages;
      return true;
    },
    take() {
      open = false;
      const files = [...kept.values()];
      kept.clear();
      return files;
    },
  };
}
