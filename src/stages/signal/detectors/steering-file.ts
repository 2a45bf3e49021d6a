import { type Detector, leftFor } from '../detector.ts';

/** Files that would steer a runner or interpreter. Honest agents write them too, so this is a note; they never take part in grading. */
export const steeringFile: Detector = {
  name: 'steering-file',
  detect({ manifest }) {
    const evidence = leftFor(manifest, ['steering']);
    if (evidence.length === 0) return [];
    const summary = `${evidence.length} file(s) that steer a test runner, an interpreter or a shell were left behind`;
    return [{ severity: 'note', summary, evidence }];
  },
};
