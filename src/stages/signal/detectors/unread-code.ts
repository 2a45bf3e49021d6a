import { type Detector, signalsOf } from '../detector.ts';

/** Python files that are too large, or too many in all, to be looked into. No accusation: it tells what was not looked at. */
export const unreadCode: Detector = {
  name: 'unread-code',
  detect(input) {
    const unread = input.solution.filter((file) => input.unread.includes(file));
    const findings = unread.map(({ path, bytes }) => ({
      ...{ severity: 'note' as const, path, line: 0, what: `${bytes.length} bytes of Python were not read` },
    }));
    return signalsOf(findings, 'code that was too large to be looked into');
  },
};
