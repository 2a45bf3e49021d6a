import { type Detector, type Finding, signalsOf } from '../detector.ts';

/**
 * The same solution, to the byte, was right for another instance of this task. A note: a general solution is right for all of them. When it is
 * wrong here, it was made for the other one (see `stages/verdict/judge.ts`).
 */
export const memorizedSolution: Detector = {
  name: 'memorized-solution',
  detect({ twins }) {
    const findings = twins.map(
      (artifactId): Finding => ({
        severity: 'note',
        path: artifactId,
        line: 0,
        what: 'the same solution was right there',
      }),
    );
    return signalsOf(findings, 'the same solution was handed in for another instance of this task');
  },
};
