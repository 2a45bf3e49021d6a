import type { DecisionBody } from './policy.ts';

/** Rules that are counted by name, and changes that are shown. */
const MOST_RULES = 1_000;
const MOST_EXAMPLES = 20;
const OTHERS = '(others)';

/** One hand-in as it was decided and as it would be. */
export interface Compared {
  readonly decisionId: string;
  readonly verdictId: string;
  readonly artifactId: string;
  readonly score: number;
  readonly before: DecisionBody;
  readonly after: DecisionBody;
}

/** What a trainer gets: null reward where the sample is masked. */
export interface Paid {
  readonly reward: number | null;
  readonly weight: number;
}

/** A rule, by how many decisions it fired in. */
export interface RuleChange {
  readonly id: string;
  before: number;
  after: number;
  /** Of those in which it fires now and did not, or no longer, how many change a reward. */
  changed: number;
  /** Of those that a person ruled honest, how many it fires in now. */
  honest: number;
}

interface Side {
  masked: number;
  rejected: number;
  flagged: number;
  reviewed: number;
  /** Sum of the weights, over all decisions. */
  weight: number;
  /** Sum of weight times reward. */
  paid: number;
  /** Of those that a person ruled honest: masked, rejected or weighed less than 1; and flagged. */
  honestPunished: number;
  honestFlagged: number;
}

/** What changes, in numbers. */
export interface DecisionChanges {
  decisions: number;
  /** Whose reward, weight or mask is another. */
  changed: number;
  masked: number;
  unmasked: number;
  weighedLess: number;
  weighedMore: number;
  paidLess: number;
  paidMore: number;
  /** That a person ruled honest. */
  honest: number;
  readonly before: Side;
  readonly after: Side;
  readonly rules: RuleChange[];
  readonly examples: { verdict: string; artifact: string; before: Paid; after: Paid; rules: string[] }[];
}

/** Counts changes as they come; what is kept does not grow with their number. */
export function createComparison(isHonest: (verdictId: string) => boolean): {
  readonly add: (compared: Compared) => void;
  readonly result: () => DecisionChanges;
} {
  const changes: DecisionChanges = {
    ...{ decisions: 0, changed: 0, masked: 0, unmasked: 0, weighedLess: 0, weighedMore: 0, paidLess: 0, paidMore: 0 },
    ...{ honest: 0, before: emptySide(), after: emptySide(), rules: [], examples: [] },
  };
  const rules = new Map<string, RuleChange>();
  return {
    add(compared) {
      const honest = isHonest(compared.verdictId);
      changes.decisions++;
      if (honest) changes.honest++;
      count(changes.before, compared.before, { score: compared.score, honest });
      count(changes.after, compared.after, { score: compared.score, honest });
      const isChanged = countChange(changes, compared);
      countRules(rules, compared, { isChanged, honest });
    },
    result: () => ({
      ...changes,
      rules: [...rules.values()].sort((one, other) => other.changed - one.changed || other.after - one.after),
    }),
  };
}

/** What a decision pays for a score. */
export function paidFor({ mask, action, value, weight }: DecisionBody, score: number): Paid {
  if (mask) return { reward: null, weight: 0 };
  return { reward: action === 'reject' && value !== 'as-earned' ? 0 : score, weight };
}

function emptySide(): Side {
  return {
    ...{ masked: 0, rejected: 0, flagged: 0, reviewed: 0, weight: 0, paid: 0, honestPunished: 0, honestFlagged: 0 },
  };
}

function count(side: Side, body: DecisionBody, { score, honest }: { score: number; honest: boolean }): void {
  const { reward, weight } = paidFor(body, score);
  const isFlagged = body.flags.length > 0;
  const isRejected = body.action === 'reject';
  side.masked += Number(body.mask);
  side.rejected += Number(isRejected);
  side.flagged += Number(isFlagged);
  side.reviewed += Number(body.review !== undefined);
  side.weight += weight;
  side.paid += weight * (reward ?? 0);
  if (!honest) return;
  side.honestPunished += Number(body.mask || isRejected || weight < 1);
  side.honestFlagged += Number(isFlagged);
}

function countChange(changes: DecisionChanges, compared: Compared): boolean {
  const [before, after] = [paidFor(compared.before, compared.score), paidFor(compared.after, compared.score)];
  if (before.reward === after.reward && before.weight === after.weight) return false;
  changes.changed++;
  if (after.reward === null) changes.masked++;
  else if (before.reward === null) changes.unmasked++;
  else {
    changes.weighedLess += Number(after.weight < before.weight);
    changes.weighedMore += Number(after.weight > before.weight);
    changes.paidLess += Number(after.reward < before.reward);
    changes.paidMore += Number(after.reward > before.reward);
  }
  const { verdictId: verdict, artifactId: artifact } = compared;
  const rules = compared.after.rules.map(({ id }) => id);
  if (changes.examples.length < MOST_EXAMPLES) changes.examples.push({ verdict, artifact, before, after, rules });
  return true;
}

function countRules(
  rules: Map<string, RuleChange>,
  { before, after }: Compared,
  { isChanged, honest }: { readonly isChanged: boolean; readonly honest: boolean },
): void {
  const was = new Set(before.rules.map(({ id }) => id));
  const is = new Set(after.rules.map(({ id }) => id));
  for (const id of new Set([...was, ...is])) {
    const name = rules.has(id) || rules.size < MOST_RULES ? id : OTHERS;
    const rule = rules.get(name) ?? { id: name, before: 0, after: 0, changed: 0, honest: 0 };
    rules.set(name, rule);
    rule.before += Number(was.has(id));
    rule.after += Number(is.has(id));
    rule.changed += Number(isChanged && was.has(id) !== is.has(id));
    rule.honest += Number(honest && is.has(id));
  }
}
