import { type Detector, type Finding, signalsOf } from '../detector.ts';

/** What a secret that is found says: a seed is never given to anybody; a value that nothing showed may have been guessed. */
const SEVERITIES = { seed: 'violation', 'draw-secret': 'violation', 'hidden-value': 'suspect' } as const;

/** The instance's seed, its secret or a value that nothing shows, in what was handed in, said or sent, plain or packed. */
export const leakedSecret: Detector = {
  name: 'leaked-secret',
  detect(input) {
    const { leaks, cut } = input.leaks();
    const findings = leaks.flatMap(({ secret, haystack, line, as }): Finding[] => {
      if (secret.kind === 'decoy') return [];
      return [{ severity: SEVERITIES[secret.kind], path: haystack, line, what: `${secret.name}, ${as}` }];
    });
    const unread: Finding[] = cut
      ? [{ severity: 'note', path: 'artifact', line: 0, what: 'too much is packed in it: not all was searched' }]
      : [];
    return [
      ...signalsOf(findings, 'something that only the service knows of this instance'),
      ...signalsOf(unread, 'not all could be searched for what is secret'),
    ];
  },
};
