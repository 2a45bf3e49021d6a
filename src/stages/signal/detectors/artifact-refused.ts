import type { Detector } from '../detector.ts';

/** A hand-in that broke a cap and was refused whole: bombs, endless trees. */
export const artifactRefused: Detector = {
  name: 'artifact-refused',
  detect({ manifest }) {
    if (manifest.refusal === null) return [];
    const { reason, detail } = manifest.refusal;
    return [
      {
        severity: 'suspect',
        summary: 'the hand-in was refused',
        evidence: [{ path: '.', detail: `${reason}: ${detail}` }],
      },
    ];
  },
};
