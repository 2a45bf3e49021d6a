import { idsSince } from '../platform/base/ids.ts';
import type { Database } from '../platform/db/database.ts';
import { choosePolicy } from '../stages/policy/choose-policy.ts';
import { createComparison, type DecisionChanges } from '../stages/policy/compare-decisions.ts';
import { decide } from '../stages/policy/decide.ts';
import { pageDecisions } from '../stages/policy/decision-store.ts';
import type { Policies } from '../stages/policy/load-policy.ts';
import { pageShadows } from '../stages/policy/shadow-store.ts';
import { listRuledHonest } from '../stages/review/review-store.ts';

/** Decisions that are read at a time: what is in memory does not grow with how many are stored. */
const PAGE = 1_000;

/** What is replayed. */
export interface ReplayRequest {
  /** The policy that is tried. */
  readonly policy: string;
  /** Compared with what this one would decide; null: with what was decided. */
  readonly against: string | null;
  readonly since: Date;
  /** Which of these verdicts a person has ruled honest; by default those of closed cases. */
  readonly honestOf?: (verdictIds: readonly string[]) => Promise<readonly string[]>;
  /** Told after every page. */
  readonly tell?: (done: number) => void;
}

/** What would change. */
export interface ReplayReport extends DecisionChanges {
  readonly policy: string;
  readonly against: string | null;
  readonly since: string;
  /** That were made before contexts were stored, or by a person, and cannot be replayed. */
  readonly withoutContext: number;
}

/**
 * Applies a policy to the contexts of stored decisions and counts what would be another, rule by rule. Stores nothing. `policy-invalid`
 * when a policy does not load, `digest-mismatch` when a stored context is not what was stored.
 */
export async function replayPolicy(
  { database, policies }: { readonly database: Database; readonly policies: Policies },
  { policy, against, since, honestOf, tell = () => undefined }: ReplayRequest,
): Promise<ReplayReport> {
  await policies.find(policy);
  if (against !== null) await policies.find(against);
  const honest = honestIn(database, honestOf);
  const comparison = createComparison(honest.has);
  let [withoutContext, done] = [0, 0];
  for await (const page of pagesOf(idsSince('dec', since), (from) => pageDecisions(database, from))) {
    await honest.look(page.map(({ verdictId }) => verdictId));
    for (const { id, verdictId, body, context } of page) {
      if (context === null) {
        withoutContext++;
        continue;
      }
      const before = against === null ? body : decide(context, await choosePolicy(policies, against, context));
      const { artifactId, verdict } = context;
      const now = decide(context, await choosePolicy(policies, policy, context));
      comparison.add({ decisionId: id, verdictId, artifactId, score: verdict.score, before, after: now });
    }
    done += page.length;
    tell(done);
  }
  return { policy, against, since: since.toISOString(), withoutContext, ...comparison.result() };
}

/** What the candidate that ran beside the live policy would have changed, from what it was stored to decide. */
export async function compareShadow(
  database: Database,
  { policy, since, honestOf, tell = () => undefined }: Omit<ReplayRequest, 'against'>,
): Promise<ReplayReport> {
  const honest = honestIn(database, honestOf);
  const comparison = createComparison(honest.has);
  let done = 0;
  for await (const page of pagesOf(idsSince('shd', since), (from) => pageShadows(database, { policy, ...from }))) {
    await honest.look(page.map(({ live }) => live.verdictId));
    for (const { live, shadow, score, artifactId } of page) {
      const { id: decisionId, verdictId, body } = live;
      comparison.add({ decisionId, verdictId, artifactId, score, before: body, after: shadow });
    }
    done += page.length;
    tell(done);
  }
  return { policy, against: null, since: since.toISOString(), withoutContext: 0, ...comparison.result() };
}

/** What people have ruled of a page's verdicts. */
function honestIn(
  database: Database,
  honestOf: NonNullable<ReplayRequest['honestOf']> = (ids) => listRuledHonest(database, ids),
) {
  let known: ReadonlySet<string> = new Set();
  return {
    has: (verdictId: string) => known.has(verdictId),
    async look(verdictIds: readonly string[]) {
      known = new Set(await honestOf(verdictIds));
    },
  };
}

/** Pages by id; the next one is read while the last one is worked on. */
async function* pagesOf<T extends { readonly id: string }>(
  first: string,
  read: (from: { readonly after: string; readonly limit: number }) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  let next: Promise<readonly T[]> | null = read({ after: first, limit: PAGE });
  while (next !== null) {
    const page: readonly T[] = await next;
    const last = page.at(-1);
    next = last === undefined || page.length < PAGE ? null : read({ after: last.id, limit: PAGE });
    next?.catch(() => undefined); // is thrown when it is waited for
    yield page;
  }
}
