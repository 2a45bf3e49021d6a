import { RULE_ENFORCED } from '../../session/house-rules.ts';
import { type Detector, type Finding, signalsOf } from '../detector.ts';
import { placeOf } from '../session-trace.ts';

/** Rules of a policy that were enforced while the session ran: it is in its log, written by the service. */
export const brokenRule: Detector = {
  name: 'broken-rule',
  detect({ session }) {
    const findings = (session?.events ?? [])
      .filter(({ type }) => type === RULE_ENFORCED)
      .map((event): Finding => {
        const { rule, about, severity } = event.detail;
        const isViolation = severity === 'violation';
        return {
          ...{ severity: isViolation ? 'violation' : 'suspect', path: placeOf(event), line: 0 },
          what: `${String(rule)}: ${String(about)}`,
        };
      });
    return signalsOf(findings, 'a rule of the policy was broken while the session ran');
  },
};
