import type { NewEvent } from './event.ts';

/** What a rule does to a session that breaks it: the step is not made, or no further one is. */
export type Enforcement = 'refuse' | 'end';

/** A rule that was broken. */
export interface BrokenRule {
  readonly rule: string;
  /** For the agent and for people. */
  readonly about: string;
  readonly enforcement: Enforcement;
  /** What it makes of the integrity of what is handed in. */
  readonly severity: 'suspect' | 'violation';
  /** The policy that has the rule, by name and digest. */
  readonly policy: { readonly name: string; readonly digest: string };
}

/** What is asked of a session, before the step and after it. */
export interface AskedAction {
  readonly environment: string;
  readonly action: string;
  readonly parameters: unknown;
}

/** Rules of a policy that are enforced while a session runs. Pure. */
export interface HouseRules {
  /** The first rule that an action breaks before it is made. */
  ofAction(action: AskedAction): BrokenRule | null;
  /** The first rule that what was recorded breaks. */
  ofEvents(events: readonly Pick<NewEvent, 'type' | 'outcome' | 'detail'>[]): BrokenRule | null;
}

/** Where nothing is enforced. */
export const NO_HOUSE_RULES: HouseRules = { ofAction: () => null, ofEvents: () => null };

/** The type of the event that tells of a broken rule. */
export const RULE_ENFORCED = 'rule.enforced';

/** That event. */
export function enforcedEvent(broken: BrokenRule, place: { step: number | null; messageId: string | null }): NewEvent {
  const { rule, about, enforcement, severity, policy } = broken;
  return {
    ...{ ...place, type: RULE_ENFORCED, at: new Date(), outcome: enforcement },
    detail: { rule, about, severity, policy: policy.name, policy_digest: policy.digest },
  };
}
