import { plainText } from '../../platform/base/plain-text.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import type { Shown } from './observation.ts';

/** Bytes of the beginning and of the end of an output that are shown. */
const HEAD_BYTES = 12_288;
const TAIL_BYTES = 4_096;

/** Keeps an output whole and shows its beginning and end; bytes that are no UTF-8 are shown as U+FFFD. */
export async function showOutput(blobs: Blobs, name: Shown['name'], bytes: Buffer): Promise<Shown> {
  const sha256 = bytes.length === 0 ? null : await blobs.put(bytes);
  const { text, leftOut } = shownText(bytes);
  return { name, text, bytes: bytes.length, left_out: leftOut, sha256 };
}

/** What of an output is shown, and how many of its bytes are not. */
export function shownText(bytes: Buffer): { readonly text: string; readonly leftOut: number } {
  const leftOut = Math.max(0, bytes.length - HEAD_BYTES - TAIL_BYTES);
  const text =
    leftOut === 0 ? bytes.toString('utf8') : `${headOf(bytes)}\n[… ${leftOut} bytes are not shown …]\n${tailOf(bytes)}`;
  return { text: plainText(text, text.length), leftOut };
}

/** A character that the cut would part is left off. */
function headOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES), { stream: true });
}

const CONTINUES = 0b1000_0000;

function tailOf(bytes: Buffer): string {
  let from = bytes.length - TAIL_BYTES;
  while (from < bytes.length && ((bytes[from] ?? 0) & 0b1100_0000) === CONTINUES) from++;
  return bytes.toString('utf8', from);
}
