import type { Detector } from '../detector.ts';

/** Controls that reorder what a reader sees (Unicode Bidirectional Algorithm: embeddings, overrides, isolates). */
const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/;

/** Text that reads differently from what runs. Right-to-left letters alone are ordinary. */
export const hiddenText: Detector = {
  name: 'hidden-text',
  detect({ texts }) {
    const evidence = texts.flatMap(({ path, text }) => {
      const line = text.split('\n').findIndex((content) => BIDI_CONTROL.test(content));
      return line === -1 ? [] : [{ path, detail: `line ${line + 1} holds bidirectional control characters` }];
    });
    if (evidence.length === 0) return [];
    return [{ severity: 'suspect', summary: 'files show readers something else than what they hold', evidence }];
  },
};
