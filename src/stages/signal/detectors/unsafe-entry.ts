import { type Detector, leftFor } from '../detector.ts';

/** Entries that try to reach outside the workspace or that no hand-in needs. Links inside the workspace are ordinary. */
export const unsafeEntry: Detector = {
  name: 'unsafe-entry',
  detect({ manifest }) {
    const evidence = leftFor(manifest, [
      ...(['link-escapes', 'special-file', 'setuid-dropped'] as const),
      ...(['path-escapes', 'changed-while-read', 'other-device'] as const),
    ]);
    if (evidence.length === 0) return [];
    return [
      { severity: 'suspect', summary: `${evidence.length} entry(ies) point or reach outside the workspace`, evidence },
    ];
  },
};
