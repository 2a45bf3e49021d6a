import type { BrokenRule, HouseRules } from '../session/house-rules.ts';
import { matchesGlob } from './match-glob.ts';
import type { EnforcedRule, Policy } from './policy-file.ts';

/** Text of an action that is searched; what is longer breaks no rule by what stands behind it. */
const MOST_TEXT = 65_536;

/** The rules of a policy that are enforced while a session runs, in their order. */
export function houseRulesOf({ rules, digest }: Pick<Policy, 'rules' | 'digest'>): HouseRules {
  const policy = { name: rules.id, digest };
  const broken = ({ id, about, do: enforcement, severity }: EnforcedRule): BrokenRule => ({
    ...{ rule: id, about, enforcement, policy },
    severity: severity ?? (enforcement === 'end' ? 'violation' : 'suspect'),
  });
  const first = (isBroken: (rule: EnforcedRule) => boolean) => {
    const found = rules.enforce.find(isBroken);
    return found === undefined ? null : broken(found);
  };
  return {
    ofAction({ environment, action, parameters }) {
      if (rules.enforce.length === 0) return null;
      const text = JSON.stringify(parameters ?? null).slice(0, MOST_TEXT);
      const name = `${environment}.${action}`;
      return first(({ on }) => 'action' in on && matchesGlob(on.action, name) && text.includes(inJson(on.contains)));
    },
    ofEvents(events) {
      if (rules.enforce.length === 0) return null;
      return first(({ on }) => 'event' in on && events.some((event) => breaks(on, event)));
    },
  };
}

/** As a text stands within JSON. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function breaks(
  on: Extract<EnforcedRule['on'], { readonly event: string }>,
  { type, outcome, detail }: Parameters<HouseRules['ofEvents']>[0][number],
): boolean {
  if (!matchesGlob(on.event, type) || !matchesGlob(on.outcome ?? '*', outcome)) return false;
  if (on.path === undefined) return true;
  return typeof detail.path === 'string' && matchesGlob(on.path, detail.path);
}
