import { asProctorError, ProctorError } from '../platform/base/errors.ts';
import { countOpened } from '../stages/review/audit-store.ts';
import { listGroup } from '../stages/review/queue-store.ts';
import { type GroupReport, type GroupRuling, neededOpened } from '../stages/review/ruled.ts';
import { type ReviewParts, ruleCase } from './rule-case.ts';

/** Cases that one call rules on, at most; the next call goes on. */
const MAX_GROUP_RULING = 500;
/** Somebody waits for an answer who knows what the others of the group do not tell. */
const APPEALED = { code: 'conflict', message: 'this was appealed: open it, and rule on it by itself' } as const;
/**
 * Rules on every open case of a group, each by itself: one that is another's or was ruled meanwhile is reported, and the others are ruled; so is one that was appealed, which is ruled on by itself.
 * `not-found` for a group without open cases; `conflict` until this reviewer has opened enough of them.
 */
export async function ruleGroup(parts: ReviewParts, request: GroupRuling): Promise<readonly GroupReport[]> {
  const { group, ...ruling } = request;
  const cases = await listGroup(parts.database, group, MAX_GROUP_RULING);
  const first = cases[0];
  if (first === undefined) throw new ProctorError('not-found', 'no case of this group is open');
  const [opened, needed] = [await countOpened(parts.database, group, request.reviewer), neededOpened(first.waiting)];
  if (opened < needed) {
    const message = `open ${needed} cases of the group before ruling on all of it; ${opened} were opened lately`;
    throw new ProctorError('conflict', message, { opened, needed });
  }
  const reports: GroupReport[] = [];
  for (const { id: caseId, cause } of cases) {
    if (cause === 'appeal') {
      reports.push({ caseId, amended: null, problem: APPEALED });
      continue;
    }
    const report = await ruleCase(parts, { ...ruling, caseId, bulk: true }).then(
      ({ amended }): GroupReport => ({ caseId, amended, problem: null }),
      (thrown): GroupReport => ({ caseId, amended: null, problem: problemOf(thrown) }),
    );
    reports.push(report);
  }
  return reports;
}

/** What meets one case is told of it; what meets the service is thrown. */
function problemOf(thrown: unknown): GroupReport['problem'] {
  const error = asProctorError(thrown);
  if (error.fault === 'platform') throw error;
  return {
    code: error.code,
    message: error.fault === 'defect' ? 'an unexpected error; the log has it' : error.message,
  };
}
