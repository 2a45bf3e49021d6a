import type { DecisionRow } from '../policy/policy.ts';
import type { VerdictBody, VerdictRow } from '../verdict/verdict.ts';
import type { Cause, NewCase } from './review.ts';

const MAX_GROUP_LENGTH = 300;

/** How bad it is if what is doubted is true, by what was found so far. */
const SEVERITY: Readonly<Record<VerdictBody['integrity'], number>> = {
  violated: 1,
  suspect: 0.7,
  unknown: 0.5,
  clean: 0.3,
};

/** How little is known: a violation is proof and seldom wrong; where a detector could not run, anything may be true. */
const UNCERTAINTY: Readonly<Record<VerdictBody['integrity'], number>> = {
  violated: 0.3,
  suspect: 0.8,
  unknown: 1,
  clean: 0.5,
};

/** A control says how often clean is clean; an appeal has a person waiting who knows more than we do. */
const BY_CAUSE: Readonly<Partial<Record<Cause, Pick<NewCase, 'severity' | 'uncertainty'>>>> = {
  control: { severity: 0.2, uncertainty: 0.5 },
  appeal: { severity: 1, uncertainty: 1 },
};

/** What a case is opened on. */
export interface Described {
  readonly verdict: Pick<VerdictRow, 'id' | 'artifactId' | 'body'>;
  readonly decision: Pick<DecisionRow, 'id' | 'body'>;
  /** Name of the task. */
  readonly task: string;
}

/** The case that a decision asks for, or null where it asks for none. Pure. */
export function describeCase(described: Described): NewCase | null {
  const { review } = described.decision.body;
  return review === undefined ? null : caseOf(described, review, whyOf(described, review));
}

/** The case that somebody asks for who objects to a decision. Pure. */
export function describeAppeal(described: Described, { who, why }: { who: string; why: string }): NewCase {
  return caseOf(described, 'appeal', `Appealed by ${who}: ${why}`);
}

function caseOf({ verdict, decision, task }: Described, cause: Cause, why: string): NewCase {
  const { integrity } = verdict.body;
  const weighed = BY_CAUSE[cause] ?? { severity: SEVERITY[integrity], uncertainty: UNCERTAINTY[integrity] };
  return {
    ...{ artifactId: verdict.artifactId, verdictId: verdict.id, decisionId: decision.id, task, cause, why },
    ...weighed,
    group: [task, alikeIn(verdict.body, decision, cause)].join(' · ').slice(0, MAX_GROUP_LENGTH),
  };
}

/** What makes cases of one task alike: the kinds of what was found, else the rule that weighed most. */
function alikeIn(verdict: VerdictBody, decision: Described['decision'], cause: Cause): string {
  if (cause === 'control') return 'control';
  const kinds = foundIn(verdict);
  if (kinds.length > 0) return kinds.join(' + ');
  return leadingRule(decision) ?? verdict.integrity;
}

function foundIn({ signals }: VerdictBody): readonly string[] {
  return [...new Set(signals.filter(({ severity }) => severity !== 'note').map(({ kind }) => kind))].sort();
}

/** The rule that took most of the weight. */
function leadingRule({ body }: Described['decision']): string | null {
  return [...body.rules].sort((one, other) => one.weight - other.weight)[0]?.id ?? null;
}

function whyOf({ verdict, decision }: Described, review: Exclude<Cause, 'appeal'>): string {
  const kinds = foundIn(verdict.body);
  const rule = leadingRule(decision);
  const found = `${verdict.body.outcome}, and integrity is ${verdict.body.integrity}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`;
  const by = rule === null ? 'The policy' : `Rule ${rule}`;
  switch (review) {
    case 'always':
      return `${by} asks for a look: the work is ${found}.`;
    case 'sampled':
      return `Drawn from what ${by === 'The policy' ? 'the policy' : `rule ${rule}`} samples: the work is ${found}.`;
    case 'control':
      return `Drawn as a control: the work is ${found}, and nothing asked for a look.`;
  }
}
