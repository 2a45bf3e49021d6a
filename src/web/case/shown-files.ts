import { type Digest, digestOf } from '../../platform/base/digest.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Manifest, ManifestFile } from '../../stages/artifact/artifact.ts';
import type { Instance } from '../../stages/instance/instance.ts';
import type { Task } from '../../stages/task/task.ts';
import { compareTexts, type DiffRow } from './compare-texts.ts';

/** Files whose content is shown, and the largest of them; of others there are size and digest. */
const MOST_SHOWN = 30;
const MOST_BYTES = 262_144;
/** Time for comparing all files of a page. */
const COMPARE_MS = 1_500;
/** A text has more than this share of plain characters, or is UTF-8. */
const LEAST_PLAIN_SHARE = 0.85;

/** One file that was handed in, beside the one that its workspace began with. */
export interface ShownFile {
  readonly path: string;
  readonly status: 'added' | 'changed' | 'same';
  readonly sizeBytes: number;
  readonly mode: number;
  readonly digest: Digest;
  /** Null with the reason in `unshown`: not a text, too large, too many files. */
  readonly rows: readonly DiffRow[] | null;
  readonly unshown: 'binary' | 'too-large' | 'too-many' | 'missing' | null;
  /** The file beside the task's own solution, all of its lines; null where there is none or it must not be seen. */
  readonly reference: readonly DiffRow[] | null;
}

/** The files of a hand-in, those that differ from the start first. */
export async function showFiles(given: {
  readonly manifest: Manifest;
  /** Null where it could not be made again: everything counts as added. */
  readonly instance: Instance | null;
  /** Null: the solution is not shown. */
  readonly solution: Task | null;
  readonly blobs: Blobs;
}): Promise<readonly ShownFile[]> {
  const start = new Map(given.instance?.files.map(({ path, bytes }) => [path, bytes]));
  const solution = new Map(
    (given.solution?.files ?? [])
      .filter(({ path }) => path.startsWith('solution/'))
      .map(({ path, bytes }) => [path.slice('solution/'.length), bytes]),
  );
  const untilMs = performance.now() + COMPARE_MS;
  const order = { changed: 0, added: 1, same: 2 } as const;
  const files = given.manifest.files
    .map((file) => ({ ...file, before: start.get(file.path), status: statusOf(file, start.get(file.path)) }))
    .sort((one, other) => order[one.status] - order[other.status]);
  const shown: ShownFile[] = [];
  for (const [index, file] of files.entries()) {
    const read = file.status === 'same' ? 'same' : await readText(given.blobs, { ...file, index });
    shown.push(showFile(file, read, { right: solution.get(file.path), untilMs }));
  }
  return shown;
}

type Read = { readonly text: string } | Exclude<ShownFile['unshown'], null> | 'same';

function showFile(
  { path, size, mode, blob, status, before }: ManifestFile & Pick<ShownFile, 'status'> & { before: Buffer | undefined },
  read: Read,
  { right, untilMs }: { readonly right: Buffer | undefined; readonly untilMs: number },
): ShownFile {
  const file = { path, status, mode, sizeBytes: size, digest: blob };
  if (typeof read === 'string') {
    return { ...file, rows: null, unshown: read === 'same' ? null : read, reference: null };
  }
  const compare = (left: string, other: string, whole: boolean) =>
    compareTexts(left, other, { timeoutMs: untilMs - performance.now(), whole });
  return {
    ...file,
    rows: compare(textOf(before) ?? '', read.text, false),
    unshown: null,
    reference: right === undefined ? null : compare(read.text, textOf(right) ?? '', true),
  };
}

function statusOf({ blob }: ManifestFile, before: Buffer | undefined): ShownFile['status'] {
  if (before === undefined) return 'added';
  return digestOf(before) === blob ? 'same' : 'changed';
}

async function readText(
  blobs: Blobs,
  { size, blob, index }: { readonly size: number; readonly blob: Digest; readonly index: number },
): Promise<Read> {
  if (index >= MOST_SHOWN) return 'too-many';
  if (size > MOST_BYTES) return 'too-large';
  const bytes = await blobs.get(blob).catch(() => null);
  if (bytes === null) return 'missing';
  const text = textOf(bytes);
  return text === null ? 'binary' : { text };
}

/** Bytes as text; null for what is none. A program with one odd byte in it is shown, with U+FFFD in its place. */
export function textOf(bytes: Buffer | undefined): string | null {
  if (bytes === undefined) return null;
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') && !text.includes('\u0000')) return text;
  let plain = 0;
  for (const byte of bytes) if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09) plain++;
  return plain >= bytes.length * LEAST_PLAIN_SHARE ? text : null;
}
