import { type Detector, type Finding, signalsOf } from '../detector.ts';

/** What a secret that is found says: a seed is never given to anybody; a value that nothing showed may have been guessed. */
const SEVERITIES = { seed: 'violation', 'draw-secret': 'violation', 'hidden-value': 'suspect' } as const;

const UNREAD = { severity: 'note', line: 0 } as const;

/** The instance's seed, its secret or a value that nothing shows, in what was handed in, said or sent, plain or packed. */
export const leakedSecret: Detector = {
  name: 'leaked-secret',
  detect(input) {
    const { leaks, cut } = input.leaks();
    const findings = leaks.flatMap(({ secret, haystack, line, as }): Finding[] => {
      if (secret.kind === 'decoy') return [];
      return [{ severity: SEVERITIES[secret.kind], path: haystack, line, what: `${secret.name}, ${as}` }];
    });
    const unread: Finding[] = [
      ...(cut
        ? [
            {
              ...UNREAD,
              path: 'artifact',
              what: 'too much, or too much that is packed: the rest was searched in plain',
            },
          ]
        : []),
      ...(input.session?.cut
        ? [{ ...UNREAD, path: 'session', what: 'its log is longer than what is read of it' }]
        : []),
    ];
    return [
      ...signalsOf(findings, 'something that only the service knows of this instance'),
      ...signalsOf(unread, 'not all could be searched for what is secret'),
    ];
  },
};
