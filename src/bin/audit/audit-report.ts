import type { Problem } from '../../stages/task/task.ts';

/** One hand-in of the audit and what came of it. */
export interface AuditRun {
  readonly kind: 'nothing' | 'environment' | 'hollow' | 'reference' | 'variant' | 'attack';
  readonly name: string;
  readonly technique: string | null;
  readonly outcome: string;
  readonly reward: number;
  readonly passed: readonly string[];
  readonly total: number;
}

/** What is known of one hidden test. */
export interface AuditedTest {
  readonly id: string;
  /** Null when it failed on the reference. */
  readonly assurance: 'oracle' | 'witnessed' | null;
  /** What the candidate's word was taken for. */
  readonly words: Readonly<Record<string, number>>;
  /** What makes it weak: it passes for nothing, for the hollow solution, for an attack; it is flaky or too narrow. */
  readonly weak: readonly string[];
}

/** All that an audit found. */
export interface AuditReport {
  readonly task: string;
  readonly digest: string;
  readonly grader: string;
  readonly runs: readonly AuditRun[];
  readonly tests: readonly AuditedTest[];
  readonly hidden: readonly string[];
  readonly problems: readonly Problem[];
  /** 0 to 100: the share of tests that nothing but the reference passes, less 20 for each problem that is an error. */
  readonly score: number;
  readonly gate: 'admitted' | 'needs work';
  readonly why: readonly string[];
}

/** The ruling on what was found: a task is admitted when nothing that is wrong pays and the reference always does. */
export function ruleOn(found: Omit<AuditReport, 'score' | 'gate' | 'why'>): AuditReport {
  const errors = found.problems.filter(({ severity }) => severity === 'error');
  const paid = found.runs.filter(({ kind, reward }) => reward > 0 && !['reference', 'variant'].includes(kind));
  const denied = found.runs.filter(({ kind, reward }) => reward === 0 && ['reference', 'variant'].includes(kind));
  const why = [
    ...errors.map(({ file, message }) => `${file}: ${message}`),
    ...paid.map(({ kind, name }) => `${kind} ${name} is rewarded`),
    ...denied.map(({ kind, name }) => `${kind} ${name} is not rewarded`),
    ...found.hidden,
  ];
  const strong = found.tests.filter(({ weak, assurance }) => weak.length === 0 && assurance !== null).length;
  const share = found.tests.length === 0 ? 0 : (100 * strong) / found.tests.length;
  const score = Math.max(0, Math.round(share) - 20 * why.length);
  return { ...found, score, gate: why.length === 0 ? 'admitted' : 'needs work', why };
}
