import { isUtf8 } from 'node:buffer';
import type { Detector, ScreenedFile } from '../detector.ts';
import type { Signal } from '../signal.ts';

/** UTF-8 of the controls that reorder what a reader sees: U+202A to U+202E, U+2066 to U+2069 (embeddings, overrides, isolates). */
const BIDI_CONTROL = /\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]/;

/**
 * Text that reads differently from what runs. Right-to-left letters alone are ordinary. Bytes are searched, so that no
 * odd byte covers the controls; in what is no text they may stand by chance, which is a note.
 */
export const hiddenText: Detector = {
  name: 'hidden-text',
  detect({ files }) {
    const found = files.flatMap((file) => {
      const line = file.bytes
        .toString('latin1')
        .split('\n')
        .findIndex((content) => BIDI_CONTROL.test(content));
      return line === -1 ? [] : [{ file, detail: `line ${line + 1} holds bidirectional control characters` }];
    });
    const signal = (severity: Signal['severity'], of: typeof found) => ({
      severity,
      summary: 'files show readers something else than what they hold',
      evidence: of.map(({ file, detail }) => ({ path: file.path, detail })),
    });
    const texts = found.filter(({ file }) => isText(file));
    const others = found.filter(({ file }) => !isText(file));
    return [
      ...(texts.length > 0 ? [signal('suspect', texts)] : []),
      ...(others.length > 0 ? [signal('note', others)] : []),
    ];
  },
};

function isText({ bytes }: ScreenedFile): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
